import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { failureLine } from "../../support/failure.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// A missing warehouse: an empty one in its place would be published over the only good copy.

const start = Date.UTC(2026, 2, 1);
const log = Array.from({ length: 8 }, (_, i) => eventAt(start - dayMs + i * hourMs));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
  await remote.serve(log);
  expect((await remote.ingest()).code).toBe(0);
});
afterEach(() => remote[Symbol.asyncDispose]());

const run = (...argv: string[]) =>
  remote.home.run(argv, { env: remote.env(), now: () => remote.clock.nowMs });
const file = (): string => remote.home.write("one.ndjson", '{"time":1,"event_name":"sign_in"}\n');
const events = (): Promise<number> => remote.home.count("select count(*) from events");
const remove = (...names: ("warehouse" | "published" | "landing")[]): void => {
  for (const name of names) rmSync(resolveHome(remote.home.home)[name], { recursive: true });
};

it("is not replaced by an empty one by a writing command, and rebuild restores it", async () => {
  remove("warehouse");
  const verbs = [
    ["publish"],
    ["import", file()],
    ["ingest"],
    ["prune", "--before", "2026-02-01", "--events", "--yes"],
  ];
  for (const argv of verbs.slice(0, 3))
    expect(failureLine(await run(...argv), 1, [])).toMatch(
      /warehouse\.duckdb is missing, and an empty one would replace .*audit\.duckdb; run auditlake rebuild/,
    );
  await run(...verbs[3]!);
  expect(existsSync(resolveHome(remote.home.home).warehouse)).toBe(false);
  expect(await events()).toBe(8);
  expect((await run("rebuild")).err).toContain("same as before");
  expect((await run("import", file())).code).toBe(0);
  expect(await events()).toBe(9);
});

it("is restored from the published file alone if landing is missing, too", async () => {
  remove("warehouse", "landing");
  expect(failureLine(await run("publish"), 1, [])).toContain("run auditlake rebuild");
  expect(failureLine(await run("rebuild"), 1, [])).toContain("--carry-over");
  expect((await run("rebuild", "--carry-over")).err).toContain("same as before");
  expect(await events()).toBe(8);
});

it("is rebuilt if nothing was published, as after a killed first run", async () => {
  for (const first of [["ingest"], ["import", file()], ["publish"]]) {
    remove("warehouse", "published");
    expect((await run(...first)).code).toBe(0);
    const { code, err } = await run("ingest");
    expect([code, err]).toEqual([0, expect.stringContaining("events in")]);
    expect(
      await remote.home.count("select count(*) from events where event_name = 'job_kill'"),
    ).toBe(8);
  }
});
