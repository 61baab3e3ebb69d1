import { afterAll, beforeAll, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";

// A name means its owner at the given moment, and the output states which one that is.
const dayS = 86_400;
const startS = Date.UTC(2026, 2, 1, 12) / 1000;
const at = (day: number, event_name: string, more: object): object => ({
  id: `${day} ${event_name} ${JSON.stringify(more)}`,
  time: startS + day * dayS,
  event_name,
  user_email: "root@example.com",
  ...more,
});
const policy = (resource_id: string, resource_name: string): object => ({
  resource_id,
  resource_name,
});
const holds = (operation: string): object => ({
  attribute_name: "permissions",
  old_value: "{}",
  new_value: JSON.stringify({ Databases: [{ operation, ids: "52" }] }),
});

// On day 2 what was called Ops and sales gets another name, and something else gets theirs.
const records = [
  at(0, "database_create", policy("52", "sales")),
  at(0, "permission_policy_create", policy("80", "Ops")),
  at(0.1, "permission_policy_modify", { ...policy("80", "Ops"), ...holds("query") }),
  at(0.2, "permission_policy_attach_user", { ...policy("80", "Ops"), affected_user_id: 20 }),
  at(2, "permission_policy_modify", policy("80", "Ops old")),
  at(2.1, "permission_policy_create", policy("81", "Ops")),
  at(2.2, "permission_policy_modify", { ...policy("81", "Ops"), ...holds("edit") }),
  at(2, "database_modify", policy("52", "sales_old")),
  at(2.1, "database_create", policy("53", "sales")),
  // One is deleted, and another one is made by its name.
  at(0, "permission_policy_create", policy("90", "Temp")),
  at(1, "permission_policy_delete", policy("90", "Temp")),
  at(2, "permission_policy_create", policy("91", "Temp")),
  at(2.5, "permission_policy_detach_user", { ...policy("90", "Temp"), affected_user_id: 20 }),
  // One is deleted and made again within one second.
  at(0, "permission_policy_create", policy("95", "Twice")),
  at(1, "permission_policy_delete", policy("95", "Twice")),
  { ...at(1, "permission_policy_create", policy("95", "Twice")), id: "again" },
  // One is made and deleted within one second.
  at(1, "permission_policy_delete", policy("96", "Once")),
  { ...at(1, "permission_policy_create", policy("96", "Once")), id: "at once" },
  // It was there before the log, and the first name that the log gives it was its own then.
  at(2, "permission_policy_modify", policy("70", "Elder")),
  at(2.5, "permission_policy_modify", policy("70", "Eldest")),
];

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  for (const [day, email] of [
    [0, "ann@old.example"],
    [2, "ann@example.com"],
  ] as const) {
    const log = home.write("log.ndjson", formatLines(records as never));
    const users = home.write("users.json", JSON.stringify({ users: [{ id: 20, email }] }));
    const now = (): number => (startS + day * dayS) * 1000;
    expect(await home.run(["import", log, "--users", users], { now })).toMatchObject({ code: 0 });
  }
});
afterAll(() => home[Symbol.dispose]());

const run = (...argv: string[]): Promise<Outcome> =>
  home.run([...argv, "--format", "ndjson"], { now: () => (startS + 9 * dayS) * 1000 });
const before = "2026-03-02T18:00:00Z";
const then = "2026-03-02T18:00:00.000Z";
const after = "2026-03-05T00:00:00Z";

it.each([
  ["Ops", before, `Ops is policy 80, named Ops at ${then} and Ops old now`],
  ["ops", after, "ops is policy 81"],
  ["Ops old", before, `Ops old is policy 80, named Ops at ${then} and Ops old now`],
  ["ops OLD", after, "ops OLD is policy 80"],
  ["80", before, `policy 80, named Ops at ${then} and Ops old now`],
  ["81", before, `policy 81, not created yet at ${then}`],
  ["Temp", "2026-03-01T18:00:00Z", "Temp is policy 90"],
  ["Temp", before, `Temp is policy 90, deleted by ${then}`],
  ["Temp", after, "Temp is policy 91"],
  ["90", after, "policy 90, deleted by 2026-03-05T00:00:00.000Z"],
  ["Twice", after, "Twice is policy 95"],
  ["96", after, "policy 96, deleted by 2026-03-05T00:00:00.000Z"],
  ["96", "2026-03-01T12:00:00Z", "policy 96, not created yet at 2026-03-01T12:00:00.000Z"],
  ["Elder", before, `Elder is policy 70, named Elder at ${then} and Eldest now`],
])("the name %s at %s is resolved to its owner then, with a note", async (name, on, line) => {
  const { code, err } = await run("policy", "get", name, "--on", on);
  expect(code, err).toBe(0);
  expect(err.split("\n")[0]).toBe(line);
});

it("an id needs no note, nor does a name in quiet mode", async () => {
  expect((await run("policy", "get", "81", "--on", after)).err).toMatch(/^on /);
  const { err } = await run("--quiet", "policy", "get", "Ops", "--on", before);
  expect(err).not.toContain("Ops");
});

it("a policy is shown with what the one of that name had then", async () => {
  const listHeld = async (on: string): Promise<unknown[]> =>
    (await run("policy", "get", "Ops", "--on", on)).out.match(/"operation":"\w+"/g) ?? [];
  expect(await listHeld(before)).toEqual(['"operation":"query"']);
  expect(await listHeld(after)).toEqual(['"operation":"edit"']);
});

it("access uses the database and the person that had the name then", async () => {
  const who = await run("access", "who", "sales", "--on", before);
  expect(who.err).toContain(`sales is database 52, named sales at ${then} and sales_old now\n`);
  expect(who.out).toContain('"user_id":20');
  const later = await run("access", "who", "sales", "--on", after);
  expect(later.err).toContain("sales is database 53\n");
  expect(later.out).not.toContain('"user_id":20');
  const why = await run("access", "why", "ann@example.com", "sales", "--on", before);
  expect(why.err).toContain(
    `ann@example.com is person 20, named ann@old.example at ${then} and ann@example.com now\n`,
  );
  expect(why.out.trim().split("\n")).toHaveLength(2);
});

it("the history of a name notes which policy has it today", async () => {
  expect((await run("policy", "history", "Ops")).err).toMatch(/^Ops is policy 81\n/);
  expect((await run("policy", "history", "ann")).code).toBe(2);
});

it("diff compares two moments of a policy, and refuses a name that belonged to different ones", async () => {
  const between = ["--from", before, "--to", after];
  const line = failureLine(await run("policy", "diff", "Ops", ...between), 2, []);
  expect(line).toMatch(
    /"Ops" is policy 80 at 2026-03-02T18.* and policy 81 at 2026-03-05T00.*; use the id/,
  );
  const restored = await home.run(["policy", "restore", "Ops", "--on", before, "--dry-run"], {
    now: () => (startS + 9 * dayS) * 1000,
  });
  expect(failureLine(restored, 2, [])).toMatch(
    /"Ops" is policy 80 at .* and policy 81 at now; use/,
  );
  const whole = await run("policy", "diff", "Ops old", ...between);
  expect(whole).toMatchObject({ code: 0, out: "" });
  expect(whole.err.match(/is policy 80/g)).toHaveLength(1);
  const both = await run("policy", "diff", "Ops", "Ops old", "--on", after);
  expect(both.out.trim().split("\n")).toHaveLength(2);
});
