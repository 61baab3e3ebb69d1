import { copyFileSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

// Events that a next run would read again must not be pruned.

const day = (n: number): number => Date.UTC(2026, 2, n);
const log = Array.from({ length: 20 }, (_, i) => eventAt(day(1 + i) + hourMs));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(day(20) + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

const cli = (source: object, ...argv: string[]): Promise<Outcome> => {
  const config = remote.home.write("c.json", JSON.stringify({ sources: { s: source } }));
  const world = { env: remote.env(), now: () => remote.clock.nowMs };
  return remote.home.run(["--config", config, ...argv], world);
};
const prune = (before: string): Promise<Outcome> =>
  cli({}, "prune", "--before", before, "--events", "--yes");
const events = (): Promise<number> => remote.home.count("select count(*) from events");

/** Runs that have finalized all but the last days, then a backfill that finds a late event on day 3. */
async function lateFind(afterRuns = (): void => undefined): Promise<void> {
  await remote.serve(log);
  for (const lookback of ["20d", "20d", "2d"]) {
    expect((await cli({ lookback }, "ingest")).code).toBe(0);
    remote.clock.nowMs += hourMs;
  }
  afterRuns();
  await remote.serve([...log, eventAt(day(3) + 2 * hourMs)]);
  const { err } = await cli({}, "ingest", "--from", "2026-03-03", "--to", "2026-03-04");
  expect(err).toContain("1 new");
}

describe("events that the next run would re-read", () => {
  const refusal = /next ingest of s reads from 2026-03-03T00:00:00.000Z on, so events after that/;

  it("are not pruned, from the day on at which the run resumes after a late event", async () => {
    await lateFind();
    expect(failureLine(await prune("2026-03-10"), 2, [])).toMatch(refusal);
    expect(await events()).toBe(21);
    expect((await prune("2026-03-03")).code).toBe(0);
    const left = await events();
    expect((await cli({}, "ingest")).err).toMatch(/^reading 2026-03-03T00:00:00Z to/m);
    expect(await events()).toBe(left);
  });

  it("are not pruned either if the published file does not show them yet", async () => {
    const { published } = resolveHome(remote.home.home);
    const stale = `${published}.stale`;
    await lateFind(() => copyFileSync(published, stale));
    rmSync(published);
    copyFileSync(stale, published);
    expect(failureLine(await prune("2026-03-10"), 2, [])).toMatch(refusal);
    await remote.home.run(["publish"]);
    expect(await events()).toBe(21);
  });

  it("are not pruned if only a backfill was run, nor in the window where a run starts", async () => {
    await remote.serve(log);
    await cli({}, "ingest", "--from", "2026-03-01");
    for (const before of ["2026-03-19", "2026-03-18T01:30:00Z"])
      expect(failureLine(await prune(before), 2, [])).toMatch(
        /reads from 2026-03-18T00:00:00.000Z/,
      );
    expect((await prune("2026-03-18")).code).toBe(0);
    const left = await events();
    await cli({}, "ingest");
    expect(await events()).toBe(left);
  });

  it("are not pruned if the service has no time range: each answer has its complete log", async () => {
    await remote.serve(log);
    const config = { lookback: "1d", audits: { window_params: null } };
    expect((await cli(config, "ingest")).code).toBe(0);
    const argv = ["prune", "--before", "2026-03-10", "--yes"];
    expect(failureLine(await cli(config, ...argv, "--events"), 2, [])).toMatch(
      /service of s takes no window .* the events would return; prune without --events/,
    );
    expect(await events()).toBe(20);
    expect((await cli(config, ...argv)).code).toBe(0);
    expect(await events()).toBe(20);
  });
});
