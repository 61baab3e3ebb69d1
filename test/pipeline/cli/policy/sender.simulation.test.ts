import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccessSnapshot } from "../../../../fixtures/access/snapshot.ts";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { newDesk, type Desk } from "./desk.ts";

// Who sent what and why, from the command to the event of the log that proves it.

let desk: Desk;
let id: string;
let user: AccessSnapshot["users"][number];
let config: string;
const set = (ids: string): { Databases: { operation: "query"; ids: string }[] } => ({
  Databases: [{ operation: "query", ids }],
});

beforeAll(async () => {
  desk = await newDesk();
  id = await desk.newPolicy(set(desk.databases[0]!));
  user = desk.access.snapshot().users[0]!;
  const { AUDITLAKE_BASE_URL: url, AUDITLAKE_API_KEY: key } = desk.remote.env();
  const path = `/v4/access_control/users/${user.id}/policies/${id}`;
  const attached = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `SVC1 ${key}` },
  });
  expect(attached.ok).toBe(true);
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest(["--from", "2d"])).toMatchObject({ code: 0 });
  config = desk.remote.home.write(
    "auditlake.json",
    JSON.stringify({
      sources: { default: { api_user: user.id } },
      policies: { require_reason: true },
    }),
  );
});
afterAll(() => desk[Symbol.asyncDispose]());

const run = (...argv: string[]): Promise<Outcome> => desk.policy(["--config", config, ...argv]);
const listRows = ({ out }: Outcome): Row[] =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);

test("a change has a reason, warns its own user, is stored, and is proven by the log", async () => {
  const [first = "", second = ""] = desk.databases;
  desk.requests();
  const edit = ["set", "Policy 1", "--grant", `query:${second}`, "--revoke", `query:${first}`];
  const unsaid = failureLine(await run(...edit, "--yes"), 2, []);
  expect(unsaid).toMatch(/require_reason .* add --reason/);
  expect(desk.requests().filter((line) => line.startsWith("PATCH"))).toEqual([]);
  const done = await run(...edit, "--yes", "--reason", "moved to the new one");
  expect(done).toMatchObject({ code: 0 });
  expect(done.err).toContain("it affects 1 person,");
  expect(done.err).toContain(
    `warning: ${user.id}, the owner of the API key, is a member of the policy`,
  );
  const before = listRows(await run("changes", "--format", "ndjson"));
  expect(before).toMatchObject([
    { policy_id: id, reason: "moved to the new one", outcome: "in_place", confirmed_by: null },
  ]);
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  const [proven] = listRows(await run("changes", "--format", "ndjson"));
  const [event] = await desk.remote.home.rows(
    `select event_key from events where canonical_name = 'permission_policy_modify' order by event_time desc limit 1`,
  );
  expect(proven).toMatchObject({ confirmed_by: event!["event_key"], added: "1", taken_away: "1" });
});

test("the own user is recognized by e-mail, too, in any case", async () => {
  const own = user.email.toUpperCase();
  const byEmail = { sources: { default: { api_user: own } } };
  const file = desk.remote.home.write("by-email.json", JSON.stringify(byEmail));
  const [first = "", second = ""] = desk.databases;
  const moved = ["--grant", `query:${first}`, "--revoke", `query:${second}`];
  const edit = ["set", "Policy 1", ...moved, "--dry-run"];
  const { code, err, out } = await desk.policy(["--config", file, ...edit]);
  expect([code, err]).toEqual([0, err]);
  expect(err + out).toContain(
    `warning: ${own}, the owner of the API key, is a member of the policy`,
  );
});

test("a terminal asks for the reason, which is required if the configuration demands one", async () => {
  const [first = "", second = ""] = desk.databases;
  const ask = (text: string): Promise<Outcome> => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(text);
    return desk.policy(["--config", config, "set", id, "--grant", `query:${first}`], { stdin });
  };
  desk.requests();
  for (const text of ["y\n", "y\n  \n"]) {
    const { code, err } = await ask(text);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/requires a reason/) });
  }
  const no = await ask("n\nfor Ann\n");
  expect(no).toMatchObject({ code: 1, err: expect.stringMatching(/not confirmed/) });
  expect(desk.requests().filter((line) => line.startsWith("PATCH"))).toEqual([]);
  const done = await ask("y\nfor Ann's report\n");
  expect(done).toMatchObject({ code: 0 });
  expect(done.err).toContain("Set these permissions? [y/N] Why: ");
  const kept = listRows(await run("changes", "--format", "ndjson"));
  expect(kept.at(-1)).toMatchObject({ reason: "for Ann's report" });
  await desk.setElsewhere(id, set(second) as never);
});

test("restore brings back the set of a moment, and another client's set is not a proof", async () => {
  const [first = "", second = ""] = desk.databases;
  const held = JSON.stringify(desk.setOf(id));
  const on = new Date(desk.remote.clock.nowMs).toISOString();
  desk.remote.clock.nowMs += 3_600_000;
  await desk.setElsewhere(id, set(`${first},${second}`) as never);
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  expect(await run("changes", "--format", "ndjson")).toMatchObject({ code: 0 });
  const dry = await run("restore", "policy 1", "--on", on, "--dry-run");
  expect(dry.out).toBe(`- Databases  query  ${first}\n`);
  const done = await run("restore", id, "--on", on, "--yes", "--reason", "undo");
  expect(done).toMatchObject({ code: 0 });
  expect(done.err).toContain(`on ${on}\n`);
  expect(JSON.stringify(desk.setOf(id))).toBe(held);
  const kept = listRows(await run("changes", "--format", "ndjson"));
  expect(kept.map((row) => [row["verb"], row["reason"]])).toEqual([
    ["set", "moved to the new one"],
    ["set", "for Ann's report"],
    ["restore", "undo"],
  ]);
});

test("a folder is planned and applied: grants first, revocations last", async () => {
  const [first = "", second = "", third = ""] = desk.databases;
  const [other, last] = [
    await desk.newPolicy(set(`${first},${second}`)),
    await desk.newPolicy(set(second)),
  ];
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  const write = (name: string, content: object): string =>
    desk.remote.home.write(`sets/${name}.json`, JSON.stringify(content));
  // The names are in the order in which nothing may be sent.
  write(other, set(first));
  write("policy 3", set(`${second},${third}`));
  const folder = dirname(write(id, desk.setOf(id)));
  const plan = await run("plan", folder, "--strict");
  expect(plan.code, plan.err).toBe(3);
  expect(plan.out).toBe(
    `policy ${last}\n+ Databases  query  ${third}\npolicy ${other}\n- Databases  query  ${second}\n`,
  );
  expect(plan.err).toContain("3 files, 2 policies to change");
  desk.requests();
  const applied = await run("apply", folder, "--yes", "--reason", "as files");
  expect(applied).toMatchObject({ code: 0 });
  const sent = desk.requests().filter((line) => line.startsWith("PATCH"));
  expect(sent.map((line) => /policies\/(\d+)/.exec(line)![1])).toEqual([last, other]);
  expect((await run("plan", folder, "--strict")).code).toBe(0);
  write(last, set(first));
  expect(failureLine(await run("plan", folder), 2, [])).toMatch(/two files for policy/);
  // A folder has no flag for what the reference does not show.
  write(last, { Databases: [] });
  const empty = failureLine(await run("apply", folder, "--yes"), 2, []);
  expect(empty).toMatch(/ Databases is empty; .*, policy set --file sends it under --allow-undoc/);
});

test("a plan separates the changes of the file from changes made elsewhere", async () => {
  const [first = "", second = "", third = ""] = desk.databases;
  const folder = dirname(
    desk.remote.home.write(`drift/${id}.json`, JSON.stringify(set(`${first},${second}`))),
  );
  expect(await run("apply", folder, "--yes", "--reason", "as it should be")).toMatchObject({
    code: 0,
  });
  await desk.setElsewhere(id, set(`${first},${third}`) as never);
  const drifted = await run("plan", folder);
  expect(drifted.out).toMatch(
    new RegExp(
      `^policy ${id}, reverting the drift since auditlake set it on \\S+\n- Databases  query  ${third}\n\\+ Databases  query  ${second}\n$`,
    ),
  );
  desk.remote.home.write(`drift/${id}.json`, JSON.stringify(set(second)));
  const both = await run("plan", folder);
  expect(both.out).toMatch(
    new RegExp(
      `^policy ${id}\n- Databases  query  ${first}\npolicy ${id}, reverting the drift since`,
    ),
  );
});

test("two policies that exchange a right of one user are set in three steps, and the user always has it", async () => {
  const [first = "", second = ""] = desk.databases;
  const policies = [await desk.newPolicy(set(first)), await desk.newPolicy(set(second))];
  const { AUDITLAKE_BASE_URL: url, AUDITLAKE_API_KEY: key } = desk.remote.env();
  for (const policy of policies)
    await fetch(`${url}/v4/access_control/users/${user.id}/policies/${policy}`, {
      method: "POST",
      headers: { authorization: `SVC1 ${key}` },
    });
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  for (const [i, policy] of policies.entries())
    desk.remote.home.write(`swap/${policy}.json`, JSON.stringify(set(i === 0 ? second : first)));
  const folder = dirname(desk.remote.home.write(`swap/none.txt`, ""));
  const states: string[] = [];
  desk.interfere((request) => {
    if (request.method === "GET")
      states.push(policies.map((one) => JSON.stringify(desk.setOf(one))).join());
    return false;
  });
  const applied = await run("apply", folder, "--yes", "--reason", "exchange");
  desk.interfere(undefined);
  expect(applied).toMatchObject({ code: 0 });
  expect(policies.map((one) => desk.setOf(one))).toEqual([set(second), set(first)]);
  for (const state of states)
    for (const database of [first, second]) expect(state).toContain(database);
});

test("a right on no database is known from the log, so that a file that revokes it undoes no drift", async () => {
  const [first = ""] = desk.databases;
  const whole = { Databases: [{ operation: "query", ids: first }, { operation: "download" }] };
  const own = await desk.newPolicy(whole as never);
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  const folder = dirname(desk.remote.home.write(`known/${own}.json`, JSON.stringify(set(first))));
  expect((await run("plan", folder)).out).toBe(`policy ${own}\n- Databases  download\n`);
});

test("a moment without a set that the reference shows, such as one without any right, is not restored", async () => {
  const [first = ""] = desk.databases;
  const own = await desk.newPolicy();
  const on = new Date(desk.remote.clock.nowMs).toISOString();
  desk.remote.clock.nowMs += 3_600_000;
  await desk.setElsewhere(own, set(first));
  desk.remote.clock.nowMs += 3_600_000;
  expect(await desk.remote.ingest()).toMatchObject({ code: 0 });
  const refused = await run("restore", own, "--on", on, "--yes", "--reason", "undo");
  expect(failureLine(refused, 2, [])).toMatch(
    /set of that moment.* Databases is empty; .*policy set/,
  );
  expect(desk.setOf(own)).toEqual(set(first));
});
