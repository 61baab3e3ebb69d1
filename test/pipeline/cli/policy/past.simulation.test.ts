import { expect, test } from "vitest";
import { listRights } from "../../../../fixtures/access/snapshot.ts";
import { noon, play } from "../../../queries/access-play.ts";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { dayMs, newRemote } from "../../../support/remote.ts";
import { newDesk } from "./desk.ts";

// What log and snapshots show about policies, without requests to the service.

function listRows({ code, out, err }: Outcome): Row[] {
  expect(code, err).toBe(0);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

test("list and get --on equal the service's state at any moment, seed 31", async () => {
  await using remote = await newRemote(noon);
  const { states } = await play(remote, 31, 60);
  remote.clock.nowMs += dayMs;
  expect(await remote.ingest(["--from", "3d"])).toMatchObject({ code: 0 });
  const now = (): number => remote.clock.nowMs;
  const ask = (...argv: string[]): Promise<Outcome> =>
    remote.home.run(["policy", ...argv], { now });
  for (const { fromMs, state } of [states[5]!, states[30]!, states.at(-1)!]) {
    const on = new Date(fromMs).toISOString();
    const rights = listRights(state);
    const listed = listRows(await ask("list", "--on", on, "--format", "ndjson"));
    const listHeld = (id: string): typeof rights =>
      rights.filter((r) => r.subject_kind === "policy" && r.subject_id === id);
    const expected = state.policies.map(({ id, members }) => [
      id,
      members.length,
      listHeld(id).length,
    ]);
    expect(
      listed.map((row) => [row["policy_id"], row["members"], row["permissions"]]).sort(),
      on,
    ).toEqual(expected.sort());
    const { id } = state.policies.find((policy) => listHeld(policy.id).length > 0)!;
    const table = await ask("get", id, "--on", on);
    expect(table.err).toContain(`on ${on}`);
    expect(table.err).toContain(`${listHeld(id).length} row`);
  }
});

test("history shows changes of the log, with their author, and what snapshots showed", async () => {
  await using desk = await newDesk();
  const [a = "", b = ""] = desk.databases;
  const query = (ids: string): object => ({ operation: "query", ids });
  const id = await desk.newPolicy({ Databases: [query(a)] } as never);
  expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
  await desk.setElsewhere(id, { Databases: [query(b)] } as never);
  expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
  const brief = async (name: string): Promise<unknown[][]> =>
    listRows(await desk.policy(["history", name, "--format", "ndjson"])).map((row) => [
      row["evidence"],
      row["change"],
      row["object"],
      row["by_whom"] !== null && row["event_key"] !== null,
    ]);
  const snapshots = [
    ["snapshot", "first shown", a, false],
    ["snapshot", "began", b, false],
    ["snapshot", "ended", a, false],
  ];
  expect(await brief(id)).toEqual(snapshots);
  desk.remote.clock.nowMs += 2 * dayMs;
  expect(await desk.remote.ingest(["--from", "4d"])).toMatchObject({ code: 0 });
  const names = ["Policy 1", "policy 1", id];
  for (const name of names) {
    const all = await brief(name);
    expect(all.filter(([evidence]) => evidence === "snapshot")).toEqual(snapshots);
    expect(all.filter(([evidence]) => evidence === "log")).toEqual([
      ["log", "created", "Policy 1", true],
      ["log", "granted", a, true],
      ["log", "granted", b, true],
      ["log", "revoked", a, true],
    ]);
  }
  expect(failureLine(await desk.policy(["history", "Polcy 1"]), 2, [])).toMatch(
    /no policy "Polcy 1" in .*; did you mean policy 1\?/,
  );
});

test("get, set and diff accept a name that the log knows, and print its policy", async () => {
  await using desk = await newDesk();
  const [a = "", b = ""] = desk.databases;
  const id = await desk.newPolicy({ Databases: [{ operation: "query", ids: a }] });
  expect(await desk.remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  const got = await desk.policy(["get", "policy 1", "--format", "json"]);
  expect(got.err).toBe(`policy 1 is policy ${id}\n`);
  expect(JSON.parse(got.out)).toEqual(desk.setOf(id));
  const set = await desk.policy(["set", "Policy 1", "--grant", `query:${b}`, "--yes"]);
  expect(set).toMatchObject({ code: 0 });
  expect(JSON.stringify(desk.setOf(id))).toContain(b);
  const typo = await desk.policy(["set", "Policy2", "--grant", `query:${b}`, "--yes"]);
  expect(failureLine(typo, 2, [])).toMatch(/no policy "Policy2" .*; did you mean policy 1\?/);
});

test("what a snapshot shows is unknown for the time before, until the log is read up to it", async () => {
  // A policy that was there before the log, of which the log says nothing.
  await using desk = await newDesk({ standing: true });
  const { remote, databases } = desk;
  const { id } = desk.access.snapshot().policies.find((policy) => policy.members.length > 0)!;
  expect(await remote.ingest(["--from", "3d"])).toMatchObject({ code: 0 });
  const standing = desk.setOf(id);
  const given = { Databases: [{ operation: "query", ids: databases[0]! }] };
  await desk.setElsewhere(id, given as never);
  expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
  const certain = async (on: string): Promise<Set<unknown>> => {
    const { out } = await desk.policy(["get", id, "--on", on, "--format", "json"]);
    return new Set((JSON.parse(out) as Row[]).map((row) => row["is_certain"]));
  };
  expect(await certain("2d")).toEqual(new Set([false]));
  expect(await certain("now")).toEqual(new Set([true]));
  const restored = await desk.policy(["restore", id, "--on", "2d", "--yes"]);
  expect(failureLine(restored, 2, [])).toMatch(/are uncertain/);
  // Then the log has the change, and what it found.
  expect(await remote.ingest()).toMatchObject({ code: 0 });
  expect(await certain("2d")).toEqual(new Set([true]));
  expect(await desk.policy(["restore", id, "--on", "2d", "--yes"])).toMatchObject({ code: 0 });
  expect(desk.setOf(id)).toEqual(standing);
});

test("nothing is certain outside of the read time of the log, and no policy is set to it", async () => {
  await using desk = await newDesk();
  const { remote, databases } = desk;
  const id = await desk.newPolicy({ Databases: [{ operation: "query", ids: databases[0]! }] });
  const startMs = remote.clock.nowMs;
  const ago = (days: number): string => new Date(startMs - days * dayMs).toISOString();
  for (const [from, to] of [
    [9, 8],
    [3, 0],
  ] as const)
    expect(await remote.ingest(["--from", ago(from), "--to", ago(to)])).toMatchObject({ code: 0 });
  await desk.setElsewhere(id, { Databases: [] });
  remote.clock.nowMs += dayMs;
  const outside = [
    [10, /begins at 20\S+Z: earlier changes are known only from later events/],
    [5, /is incomplete from 20\S+Z to 20\S+Z: changes in that time are unknown/],
    [-0.5, /ends at 20\S+Z: later changes are unknown/],
  ] as const;
  desk.requests();
  for (const [days, line] of outside) {
    const seen = await desk.policy(["get", id, "--on", ago(days), "--format", "ndjson"]);
    expect(seen.err).toMatch(line);
    const restored = await desk.policy(["restore", id, "--on", ago(days), "--yes"]);
    expect(failureLine(restored, 2, [])).toMatch(line);
    const listed = listRows(await desk.policy(["list", "--on", ago(days), "--format", "ndjson"]));
    if (days > 0) expect(listed.every((row) => row["permissions"] === row["uncertain"])).toBe(true);
  }
  expect(desk.requests().filter((request) => request.startsWith("PATCH"))).toEqual([]);
  const known = await desk.policy(["get", id, "--on", ago(0), "--format", "ndjson"]);
  expect(known.err).toMatch(/^on \S+\n1 row\n$/);
  expect(listRows(known).map((row) => row["is_certain"])).toEqual([true]);
  const diff = await desk.policy(["diff", id, "--from", ago(10), "--to", ago(0)]);
  expect(diff.err).toMatch(outside[0][1]);
  expect(diff.out).toMatch(/^added .* false /m);
});
