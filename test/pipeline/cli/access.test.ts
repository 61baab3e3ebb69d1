import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { parseMomentMs } from "../../../pipeline/base/time/times.ts";
import { failureLine } from "../../support/failure.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import type { Row } from "../../support/rows.ts";
import { dayMs } from "../../support/remote.ts";

const start = Date.UTC(2026, 2, 2, 12);
const at = (minute: number, event_name: string, more: object): object => ({
  id: `${minute}-${event_name}`,
  time: start / 1000 + 60 * minute,
  event_name,
  user_email: "root@example.com",
  ...more,
});
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';
const records = [
  at(0, "database_create", { resource_id: "3", resource_name: "sales" }),
  at(1, "database_modify", { resource_id: "3", resource_name: "orders" }),
  at(2, "database_create", { resource_id: "4", resource_name: "sales" }),
  at(3, "database_delete", { resource_id: "4", resource_name: "sales" }),
  at(4, "database_create", { resource_id: "5", resource_name: "Twin" }),
  at(5, "database_modify", { resource_id: "6", resource_name: "twin" }),
  at(6, "permission_policy_create", { resource_id: "7", resource_name: "Analysts" }),
  at(7, "permission_policy_modify", {
    resource_id: "7",
    resource_name: "Analysts",
    old_value: "{}",
    new_value: query,
  }),
  at(8, "permission_policy_attach_user", {
    resource_id: "7",
    resource_name: "Readers",
    affected_user_id: 20,
  }),
];
const person = (email: string): object => ({
  users: [{ id: 20, email: email.replace("ann", "Ann"), name: "Ann Other" }],
});

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  for (const [i, email] of ["ann@old.example", "ann@example.com"].entries()) {
    const log = home.write("log.ndjson", formatLines(records as never));
    const users = home.write("users.json", JSON.stringify(person(email)));
    const now = (): number => start + (i + 1) * 3_600_000;
    expect(await home.run(["import", log, "--users", users], { now })).toMatchObject({ code: 0 });
  }
});
afterAll(() => home[Symbol.dispose]());

const access = (...argv: string[]): Promise<Outcome> =>
  home.run(["access", ...argv, "--format", "ndjson"], { now: () => start + 2 * dayMs });
async function readRows(...argv: string[]): Promise<Row[]> {
  const { code, out, err } = await access(...argv);
  expect({ code, err }).toMatchObject({ code: 0 });
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

describe("access", () => {
  it("explains each step, with its grantor and the event behind it", async () => {
    const found = await readRows("why", "ann@example.com", "orders");
    const keys = await home.rows("select event_key, canonical_name from events");
    const buildKey = (name: string): unknown =>
      keys.find((row) => row["canonical_name"] === name)!["event_key"];
    const common = { policy: "Readers", given_by: "root@example.com", is_certain: true };
    expect(found).toMatchObject([
      { ...common, step: 1, event_key: buildKey("permission_policy_attach_user") },
      { ...common, step: 2, event_key: buildKey("permission_policy_modify") },
    ]);
    expect(found.map((row) => row["what"])).toEqual([
      "belongs to the policy",
      "the policy holds query",
    ]);
  });

  it("links a right to the page that its event was received on", async () => {
    const rows = await home.rows(
      "select t.granted_page, e.page_number, e.record_number, p.sha256, t.resource_kind from access_timeline as t inner join events as e on e.event_key = t.granted_event_key inner join ingest_pages as p on t.granted_page like p.read_id || ' page ' || p.page || ' %'",
    );
    expect(rows.map((row) => row["resource_kind"]).sort()).toEqual(["Databases", "Policies"]);
    for (const { granted_page, page_number, record_number } of rows)
      expect(granted_page).toMatch(
        new RegExp(` page ${String(page_number)} record ${String(record_number)}$`),
      );
  });

  it.each([
    ["orders", "ann@example.com"],
    ["ORDERS", "Ann@Old.Example"],
    ["3", "20"],
    ["orders", "ann other"],
  ])("accepts present and previous names and ids: %s, %s", async (database, user) => {
    const [who] = await readRows("who", database);
    expect(who).toMatchObject({ user_id: 20, operation: "query", way: "policy", policy_id: "7" });
    const what = await readRows("what", user);
    expect(what.map((row) => [row["operation"], row["object"]])).toEqual([
      ["query", "orders"],
      ["member", "Readers"],
    ]);
    expect(await readRows("why", user, database)).toHaveLength(2);
  });

  it("resolves a name that two users have had to its present owner only", async () => {
    // The deleted one was called so last.
    expect(await readRows("who", "sales")).toEqual([]);
    const line = failureLine(await access("who", "TWIN"), 2, []);
    expect(line).toMatch('"TWIN" is ambiguous: 5, 6; give the id of the database');
  });

  it("reports that nothing is known if that person does not reach that database", async () => {
    const known = await access("why", "20", "orders");
    expect(known.err).not.toContain("no known right");
    const { code, out, err } = await access("why", "20", "orders", "--on", "2026-03-01");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain(
      "no known right gives that person access to that database at that moment\n",
    );
  });

  it("refuses an unknown name with the nearest one", async () => {
    const database = failureLine(await access("who", "order"), 2, []);
    expect(database).toMatch(/no database "order" in .*; did you mean orders\?/);
    const user = failureLine(await access("what", "amn@example.com"), 2, []);
    expect(user).toMatch(/no person .*; did you mean ann@example\.com/);
    expect(failureLine(await access("why", "20", "zzzzzzzz"), 2, [])).toMatch(
      /give an id or a name/,
    );
  });

  it("refuses an unknown source", async () => {
    const outcome = await home.run(["--source", "prd", "policy", "list"]);
    expect(outcome).toEqual({
      code: 2,
      out: "",
      err: "error: no data of source prd; known: default\n",
    });
    expect(await home.run(["--source", "default", "policy", "list"])).toMatchObject({ code: 0 });
  });

  it("names people in lower case, however the directory writes them", async () => {
    const found = [
      ...(await readRows("who", "orders")),
      ...(await readRows("what", "ann@old.example")),
    ];
    expect(new Set(found.map((row) => row["person"]))).toEqual(new Set(["ann@example.com"]));
  });

  it("compares a policy with itself at another moment, and with another one, by any name", async () => {
    const policy = (...argv: string[]): Promise<Outcome> =>
      home.run(["policy", ...argv, "--format", "ndjson"], { now: () => start + 2 * dayMs });
    const since = await policy("diff", "Analysts", "--from", "2026-03-01", "--strict");
    expect(since).toMatchObject({ code: 3 });
    expect(since.err).toMatch(
      /^from 2026-03-01T23:59:59.999Z\nAnalysts is policy 7, .*\non 2026-03-04T12:00:00.000Z\n/,
    );
    expect(JSON.parse(since.out)).toMatchObject({
      difference: "added",
      category: "query only",
      object_name: "orders",
      given_by: "root@example.com",
    });
    const same = await policy("diff", "Readers", "7", "--strict");
    expect(same).toMatchObject({ code: 0, out: "" });
    const none = await policy("diff", "Reader", "--from", "1d");
    expect(failureLine(none, 2, [])).toMatch(/no policy "Reader" .*; did you mean readers\?/);
    const both = await policy("diff", "7", "7", "--from", "1d");
    expect(failureLine(both, 2, [])).toMatch(/expected something to compare with/);
  });

  it("accepts previous names in reports of rights, and no unknown ones", async () => {
    const report = (param: string): Promise<Outcome> =>
      home.run(["report", "run", "database_access", "--param", param, "--format", "csv"], {
        now: () => start + 2 * dayMs,
      });
    const [today, former] = [await report("database=orders"), await report("database=SALES")];
    expect(today.out.split("\n")).toHaveLength(3);
    // The name passed to another database, which was deleted.
    expect(former).toMatchObject({ code: 0 });
    expect(failureLine(await report("database=order"), 2, [])).toMatch(/did you mean orders\?/);
    const people = ["report", "run", "user_permissions", "--format", "csv"];
    const byName = await home.run([...people, "--param", "user=ann@old.example"]);
    expect(byName.out).toBe((await home.run([...people, "--param", "user=20"])).out);
    expect(byName.out).toContain("orders");
  });

  it("prints the resolved moment, a date being the end of its day", async () => {
    const { err, out } = await access("who", "3", "--on", "2026-03-02", "--timezone", "Asia/Tokyo");
    expect(err).toMatch(/^on 2026-03-02T14:59:59\.999Z\n/);
    expect(out).toContain('"query"');
    expect(await readRows("who", "3", "--on", "2026-03-01")).toEqual([]);
    const line = failureLine(await access("who", "3", "--timezone", "Mars/Base"), 2, []);
    expect(line).toMatch(/expected an IANA time zone/);
  });
});

test.each([
  ["2026-03-29", "Europe/Berlin", "2026-03-29T21:59:59.999Z"],
  ["2026-03-28", "Europe/Berlin", "2026-03-28T22:59:59.999Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-25T22:59:59.999Z"],
  ["2026-01-01", "UTC", "2026-01-01T23:59:59.999Z"],
  ["2026-01-01", "America/Los_Angeles", "2026-01-02T07:59:59.999Z"],
  // Clocks go back at one, over midnight; at a minute past it, to the day before; and at midnight itself.
  ["2026-10-31", "America/Havana", "2026-11-01T03:59:59.999Z"],
  ["2005-10-29", "America/St_Johns", "2005-10-30T03:29:59.999Z"],
  ["2018-02-17", "America/Sao_Paulo", "2018-02-18T02:59:59.999Z"],
  // Clocks go forward at midnight, so the day ends there and the next begins at one.
  ["2018-11-03", "America/Sao_Paulo", "2018-11-04T02:59:59.999Z"],
  ["2026-01-01T10:00:00Z", "Asia/Tokyo", "2026-01-01T10:00:00.000Z"],
])("%s in %s is %s", (text, zone, expected) => {
  expect(new Date(parseMomentMs(text, zone, 0)).toISOString()).toBe(expected);
});
