import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toLoggedEvent, type AuditRecord } from "../../../fixtures/record.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { failureLine } from "../../support/failure.ts";
import type { Outcome } from "../../support/command.ts";
import { dayMs, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// A backfill of a day with two equal events on two pages needs a second read. It was killed between landing the first
// one and loading it.

const start = Date.UTC(2026, 2, 1);
const day = start - 20 * dayMs;
const event = (name: string, ms: number) =>
  toLoggedEvent({ time: ms / 1000, event_name: name } as AuditRecord);
const log = [
  event("x", day + hourMs),
  event("same", day + 2 * hourMs),
  event("same", day + 2 * hourMs),
  event("y", day + 3 * hourMs),
];
const range = ["--from", "2026-02-09", "--to", "2026-02-10"];

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
  await remote.serve(log, { pageCap: 2 });
  expect((await cli("ingest", ...range)).code).toBe(0);
  expect(await names()).toBe("same,same,x,y");
  const { landing, warehouse, published } = resolveHome(remote.home.home);
  const second = readdirSync(join(landing, "reads")).filter((name) => name.endsWith("-r2.json"));
  expect(second).toHaveLength(1);
  for (const path of [warehouse, published, join(landing, "reads", second[0]!)]) rmSync(path);
});
afterEach(() => remote[Symbol.asyncDispose]());

const names = async (): Promise<unknown> =>
  (
    await remote.home.rows(
      "select string_agg(event_name, ',' order by event_name) as names from events",
    )
  )[0]!["names"];
const cli = (...argv: string[]): Promise<Outcome> => {
  const audits = { paging: { size: 2 } };
  const sources = { a: { audits }, b: { audits } };
  const config = remote.home.write("c.json", JSON.stringify({ sources }));
  const world = {
    env: { ...remote.env(), AUDITLAKE_CONFIG: config },
    now: () => remote.clock.nowMs,
  };
  return remote.home.run(["--source", "a", ...argv], world);
};
const advice =
  "run auditlake ingest --source a --from 2026-02-09T00:00:00Z --to 2026-02-10T00:00:00Z";

describe("a read of a window with contradictions", () => {
  it("is followed by the second read in the next scheduled run", async () => {
    const { code, err } = await cli("ingest");
    expect([code, err]).toEqual([0, expect.stringContaining(advice)]);
    expect(await names()).toBe("same,same,x,y");
    expect(await remote.home.count("select count(*) from events")).toBe(4);
    expect((await cli("ingest")).err).not.toContain(advice);
    expect((await cli("rebuild")).err).toContain("same as before");
  });

  it("is followed by it in a backfill of the same day, which reads it anyway", async () => {
    const { code, err } = await cli("ingest", ...range);
    expect([code, err]).toEqual([0, expect.not.stringContaining(advice)]);
    expect(await names()).toBe("same,same,x,y");
  });

  it("is reported by a run of another source, which cannot read it", async () => {
    const other = await cli("--source", "b", "ingest");
    expect(failureLine(other, 6, [])).toContain(advice);
    expect((await cli("ingest", ...range)).code).toBe(0);
    expect(await names()).toBe("same,same,x,y");
  });

  it("is reported by a rebuild that finds it not loaded", async () => {
    const { landing } = resolveHome(remote.home.home);
    const [name] = readdirSync(join(landing, "reads"));
    const text = readFileSync(join(landing, "reads", name!));
    rmSync(join(landing, "reads", name!));
    expect((await cli("publish")).code).toBe(0);
    writeFileSync(join(landing, "reads", name!), text);
    expect((await cli("rebuild")).err).toContain(`warning: window 2026-02-09T00:00:00Z of a`);
    expect(await names()).toBe("same,x,y");
  });
});
