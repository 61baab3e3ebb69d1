import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { landUsers } from "../../../pipeline/core/landing/documents.ts";
import type { Outcome } from "../../support/command.ts";
import type { Row } from "../../support/rows.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// Runs with a broken user list: what the directory contains after each, what is reported, and the same by a rebuild.

const start = Date.UTC(2026, 2, 1, 2);
const people = Array.from({ length: 30 }, (_, i) => ({
  id: i + 1,
  email: `u${i + 1}@example.com`,
  administrator: true,
}));

let remote: Remote;
let day = 0;
beforeEach(async () => {
  remote = await newRemote(start);
});
afterEach(() => remote[Symbol.asyncDispose]());

type DailyRun = Outcome & { readonly inForce: number; readonly events: number };

/** Runs one more day: reads the service's users as configured. */
async function readUsers(
  users: readonly object[],
  { answer, paging = "cursor" }: { answer?: object; paging?: string } = {},
): Promise<DailyRun> {
  day += 1;
  remote.clock.nowMs = start + day * dayMs;
  const events = Array.from({ length: day }, (_, i) => eventAt(start + (i + 1) * dayMs - hourMs));
  await remote.serve(events, {
    users,
    usersPaging: "cursor",
    usersPageCap: 12,
  });
  remote.fault((request, response) => {
    if (answer === undefined || !request.url?.startsWith("/v3/user/list/")) return false;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answer));
    return true;
  });
  const sources = { default: { users: { paging: { style: paging } } } };
  const file = remote.home.write("auditlake.json", JSON.stringify({ sources }));
  const outcome = await remote.home.run(["--config", file, "ingest"], {
    env: remote.env(),
    now: () => remote.clock.nowMs,
  });
  const inForce = await remote.home.count("select count(*) from users");
  return { ...outcome, inForce, events: await remote.home.count("select count(*) from events") };
}

const history = (): Promise<Row[]> =>
  remote.home.rows("select * exclude (extra) from user_history order by user_id, valid_from");
const readings = (): Promise<Row[]> =>
  remote.home.rows(
    "select verdict, listed, in_force, against, (select count(*) from directory_losses) as kept from directory_readings order by read_at",
  );

it(
  "a broken user list ends no user, and a rebuild repeats each decision",
  { timeout: 120_000 },
  async () => {
    const { home } = remote;
    expect(await readUsers(people)).toMatchObject({ code: 0, inForce: 30, events: 1 });
    const broken = await readUsers([], { answer: { users: [], error: "no database" } });
    expect(broken).toMatchObject({ code: 6, inForce: 30, events: 2 });
    expect(broken.err).toMatch(
      /^warning: the user list of source default, .*: error indicates that/m,
    );
    const empty = await readUsers([]);
    expect(empty).toMatchObject({ code: 6, inForce: 30, events: 3 });
    expect(empty.err).toMatch(
      /^warning: the user list .*was rejected because it is empty; 30 known users unchanged/m,
    );
    const first = await readUsers(people, { paging: "none" });
    expect(first).toMatchObject({ code: 6, inForce: 30 });
    expect(first.err).toMatch(
      /^warning: .*: next indicates .* set sources\.default\.users\.paging /m,
    );

    // Six of thirty are missing, one has another address, and one is new.
    const later = [{ ...people[6]!, email: "new@example.com" }, ...people.slice(7), { id: 99 }];
    const loss = await readUsers(later);
    expect(loss).toMatchObject({ code: 0, inForce: 31 });
    const warning =
      /6 of 31 users of source default are missing from the user list since 2026-03-06T/;
    expect(loss.err).toMatch(warning);
    expect((await home.run(["users"])).err).toMatch(warning);
    const status = JSON.parse((await home.run(["status", "--json"])).out) as {
      sources: { warnings: string[] }[];
    };
    expect(status.sources[0]!.warnings.join("\n")).toMatch(warning);
    const holders = await home.run(["report", "run", "full_access_holders", "--format", "ndjson"]);
    expect(holders.out.trim().split("\n")).toHaveLength(30);

    // A run that was killed when it had landed this list: it is one of the two that agree.
    await landUsers(join(home.home, "landing"), {
      source: "default",
      readAt: "2026-03-06 03:00:00.000",
      users: [...later, { id: 1, email: "u1@example.com" }].map((user) => ({
        ...user,
        id: BigInt(user.id),
      })),
    });
    const agreed = await readUsers(later);
    expect(agreed).toMatchObject({ code: 0, inForce: 25 });
    expect(agreed.err).toContain(
      "warning: 6 users of source default are no longer on the user list: u1@example.com, u2@",
    );
    expect((await readUsers([people[1]!, ...later])).inForce).toBe(26);

    const [before, verdicts] = [await history(), await readings()];
    expect(before.filter((row) => row["user_id"] === "2")).toMatchObject([
      { valid_from: "2026-03-02 02:00:00", valid_to: "2026-03-07 02:00:00" },
      { valid_from: "2026-03-08 02:00:00", valid_to: null },
    ]);
    expect(verdicts.map((row) => row["verdict"]).join(" ")).toBe(
      "whole faulty empty faulty loss loss whole whole",
    );
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect([await history(), await readings()]).toEqual([before, verdicts]);
  },
);

it("a list that is cut to one user ends no user until it is accepted", async () => {
  const { home } = remote;
  const many = Array.from({ length: 40 }, (_, i) => ({
    id: i + 1,
    email: `u${i + 1}@example.com`,
  }));
  const [only] = many;
  expect(await readUsers(many)).toMatchObject({ code: 0, inForce: 40 });
  const heldBack =
    /^warning: the user list of source default, .*, was not applied: 39 of 40 users are missing; .*auditlake .*users accept --source default --reason TEXT/m;
  for (let i = 0; i < 3; i++) {
    const cut = await readUsers([only!]);
    expect(cut).toMatchObject({ code: 6, inForce: 40 });
    expect(cut.err).toMatch(heldBack);
  }
  // A list that cannot be read changes nothing of that.
  const failed = await readUsers([only!], { answer: { text: "maintenance" } });
  expect(failed).toMatchObject({ code: 6, inForce: 40 });
  expect(failed.err).toMatch(/was not applied: 39 of 40 users are missing/);
  const status = await home.run(["status", "--json"]);
  expect(status.out).toContain("39 of 40 users are missing");

  const accept = (...argv: string[]): Promise<Outcome> =>
    home.run(["users", "accept", ...argv], { now: () => remote.clock.nowMs + hourMs });
  expect((await accept()).code).toBe(2);
  const accepted = await accept("--reason", "they moved");
  expect(accepted.code).toBe(0);
  const names = many.slice(1, 11).map(({ email }) => email);
  expect(accepted.err).toContain(
    `warning: 39 users of source default are no longer on the user list: ${names.join(", ")} and 29 more`,
  );
  expect(await home.count("select count(*) from users")).toBe(1);
  expect((await accept("--reason", "again")).err).toContain(
    "no user list of source default is waiting for acceptance",
  );
  expect(await readUsers([only!])).toMatchObject({ code: 0, inForce: 1 });

  const [before, verdicts] = [await history(), await readings()];
  expect(verdicts.map((row) => row["verdict"]).join(" ")).toBe(
    "whole held_back held_back held_back accepted whole",
  );
  expect(verdicts[4]).toMatchObject({ against: "they moved" });
  expect((await home.run(["rebuild"])).code).toBe(0);
  expect([await history(), await readings()]).toEqual([before, verdicts]);
}, 120_000);

it("a fuller list ends the warning, and its missing users wait for another list", async () => {
  expect(await readUsers(people)).toMatchObject({ code: 0, inForce: 30 });
  expect(await readUsers(people.slice(20))).toMatchObject({ code: 6, inForce: 30 });
  const fuller = await readUsers(people.slice(10));
  expect(fuller).toMatchObject({ code: 0, inForce: 30 });
  expect(fuller.err).toContain("10 of 30 users of source default are missing");
  expect(await readUsers(people.slice(10))).toMatchObject({ code: 0, inForce: 20 });
}, 120_000);
