import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { asksFor, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// How ingest and status report what was not read, came late, vanished, or stopped.

const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
const hourly = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: (to - from) * 24 }, (_, i) => eventAt(day(from) + i * hourMs));

let remote: Remote;
let source: object = {};
beforeEach(async () => {
  remote = await newRemote(day(0) + 2 * hourMs);
  source = {};
});
afterEach(() => remote[Symbol.asyncDispose]());

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const AUDITLAKE_CONFIG = remote.home.write("c.json", JSON.stringify({ sources: { s: source } }));
  const env = { ...remote.env(), AUDITLAKE_CONFIG };
  const { code, out, err } = await remote.home.run(argv, { env, now: () => remote.clock.nowMs });
  return { code, out: out.replaceAll(/\s+/g, " "), err };
}
async function runAt(atMs: number, ...argv: string[]): Promise<string> {
  remote.clock.nowMs = atMs;
  return (await cli("ingest", ...argv)).err;
}
const failing = (n: number): void =>
  remote.fault((request, response) => {
    if (!asksFor(request, day(n))) return false;
    response.writeHead(404).end();
    return true;
  });
const status = async (): Promise<string> => (await cli("status")).out;

describe("a coverage gap", () => {
  it("of a failed window is reported by ingest and status until it is read", async () => {
    await remote.serve(hourly(-2, 2));
    failing(-1);
    const gap =
      "1 coverage gap; to close it, run auditlake ingest --source s --from 2026-02-28T00:00:00Z --to 2026-03-01T00:00:00Z";
    expect(await runAt(day(0) + 2 * hourMs)).toContain(`warning: ${gap}`);
    expect(await status()).toContain(`warning: ${gap}`);
    remote.fault(undefined);
    expect(await runAt(day(0) + 3 * hourMs)).not.toContain("gap");
    expect(await status()).toContain("gaps none");
  });

  it("between a backfill and the scheduled range is reported, and a backfill closes it", async () => {
    await remote.serve(hourly(-20, 0));
    await runAt(day(0) + 2 * hourMs);
    const err = await runAt(day(0) + 3 * hourMs, "--from", "2026-02-10", "--to", "2026-02-12");
    expect(err).toContain("--from 2026-02-12T00:00:00Z --to 2026-02-27T00:00:00Z");
    const [, from, to] = /--from (\S+) --to (\S+)$/m.exec(err)!;
    expect(await runAt(day(0) + 4 * hourMs, "--from", from!, "--to", to!)).not.toContain("gap");
  });

  it("includes the rest of a day that was only read before its end", async () => {
    await remote.serve(hourly(-2, 3));
    await runAt(day(0) + 2 * hourMs);
    failing(0);
    const err = await runAt(day(1) + 2 * hourMs);
    expect(err).toContain("--from 2026-03-01T02:00:00Z --to 2026-03-02T00:00:00Z");
  });
});

describe("the verified complete range", () => {
  const final = "verified complete from 2026-02-27 00:00:00 to 2026-03-01 00:00:00";

  it("is the newest stretch after a coverage gap that no later run has closed", async () => {
    await remote.serve(hourly(-4, 3));
    source = { lookback: "4d" };
    failing(-2);
    for (const hour of [2, 3]) await runAt(day(0) + hour * hourMs);
    expect(await runAt(day(0) + 4 * hourMs)).toContain(
      "verified complete from 2026-02-28T00:00:00Z to 2026-03-01T00:00:00Z",
    );
  });

  it("shrinks if a finalized window turns out to have more events, and grows after a re-read", async () => {
    const late = eventAt(day(-1) + 5 * hourMs, day(0) + 5 * hourMs, { id: "late" });
    await remote.serve([...hourly(-2, 1), late]);
    for (const hour of [2, 3]) await runAt(day(0) + hour * hourMs);
    expect(await status()).toContain(final);
    expect(await runAt(day(0) + 6 * hourMs)).toContain(
      "verified complete from 2026-02-27T00:00:00Z to 2026-02-28T00:00:00Z",
    );
    source = { lookback: "1h" };
    expect(await runAt(day(3))).toContain("reading 2026-02-28T00:00:00Z to");
    // What will not be read again is confirmed at once.
    expect(await status()).toContain(
      "verified complete from 2026-02-27 00:00:00 to 2026-03-03 00:00:00",
    );
  });

  it("does not hide the coverage gap of windows that failed in a longer look-back", async () => {
    await remote.serve(hourly(-12, 1));
    for (const hour of [2, 3]) await runAt(day(0) + hour * hourMs);
    expect(await status()).toContain(final);
    source = { lookback: "10d" };
    remote.fault((request, response) => {
      const from = new URL(request.url ?? "/", "http://x").searchParams.get("from");
      if (from === null || Number(from) * 1000 >= day(-8)) return false;
      response.writeHead(404).end();
      return true;
    });
    await runAt(day(0) + 4 * hourMs);
    source = {};
    const err = await runAt(day(0) + 5 * hourMs);
    const gap = "--source s --from 2026-02-19T04:00:00Z --to 2026-02-21T00:00:00Z";
    expect([err, await status()]).toEqual([
      expect.stringContaining(gap),
      expect.stringContaining(gap),
    ]);
  });

  it("is that of a confirmed backfill before a scheduled run adds anything", async () => {
    await remote.serve(hourly(-30, 0));
    const argv = ["--from", "2026-02-01", "--to", "2026-02-02", "--confirm"];
    await runAt(day(0) + 2 * hourMs, ...argv);
    const from = "verified complete from 2026-02-01T00:00:00Z to 2026-02-02T00:00:00Z";
    expect(await runAt(day(0) + 3 * hourMs)).toContain(from);
  });

  it("stays if a backfill finds that the service has deleted finalized time", async () => {
    await remote.serve(hourly(-2, 1));
    for (const hour of [2, 3]) await runAt(day(0) + hour * hourMs);
    await remote.serve(hourly(0, 1));
    const argv = ["--from", "2026-02-28", "--to", "2026-03-01"];
    const err = await runAt(day(0) + 4 * hourMs, ...argv);
    expect(err).toContain("24 missing at the source");
    expect(await status()).toContain(final);
  });

  it("is reported as changed if late events of it come with other windows", async () => {
    await remote.serve(hourly(-8, 1));
    source = { lookback: "8d" };
    for (const hour of [2, 3]) await runAt(day(0) + hour * hourMs);
    source = { lookback: "1d" };
    let answered = false;
    remote.fault((request, response) => {
      if (answered || !asksFor(request, day(0))) return false;
      answered = true;
      const late = { time: day(-7) / 1000 + 90, event_name: "job_kill", id: "late" };
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify([late]));
      return true;
    });
    expect(await runAt(day(0) + 5 * hourMs)).toContain("1 event of 2026-02-22T00:01:30Z to");
  });

  it("starts where the first run started, even if that run stored nothing", async () => {
    await remote.serve(hourly(-3, 1));
    const key = remote.env()["AUDITLAKE_API_KEY"]!;
    const config = remote.home.write("c.json", JSON.stringify({ sources: { s: {} } }));
    const env = { ...remote.env(), AUDITLAKE_API_KEY: `${key}x` };
    const world = { env, now: () => day(-1) + 2 * hourMs };
    expect((await remote.home.run(["--config", config, "ingest"], world)).code).toBe(4);
    expect(await runAt(day(0) + 2 * hourMs)).toContain("reading 2026-02-26T02:00:00Z to");
  });
});

describe("a pause longer than the service's retention", () => {
  it("is a prominent warning with its times, in both commands, and stays recorded as lost", async () => {
    source = { retention: "3d" };
    await remote.serve(hourly(-2, 12));
    await runAt(day(0) + 2 * hourMs);
    remote.clock.nowMs = day(5) + 2 * hourMs;
    const lost = "events from 2026-03-01T02:00:00Z to 2026-03-03T02:00:00Z may be lost";
    expect(await status()).toContain(lost);
    const { err } = await cli("--quiet", "ingest");
    expect(err).toMatch(
      /^warning: the last complete scheduled run was 5 d ago, and the service retains events for 3 d: /m,
    );
    expect(err).toContain(lost);
    const after = await status();
    expect(after).toContain("2026-03-01 02:00:00 to 2026-03-03 02:00:00 (lost)");
    expect(after).not.toContain("run auditlake ingest --source s now");
  });

  it("is also reported if a window failed until the service had deleted it", async () => {
    source = { retention: "5d" };
    await remote.serve(hourly(-2, 12));
    failing(1);
    for (const n of [0, 2, 4]) await runAt(day(n) + 2 * hourMs);
    expect(await status()).toContain("--from 2026-03-02T00:00:00Z --to 2026-03-03T00:00:00Z");
    remote.fault(undefined);
    await remote.serve(hourly(3, 12));
    const lost = "gaps 2026-03-02 00:00:00 to 2026-03-03 00:00:00 (lost)";
    for (const n of [8, 9]) {
      expect(await runAt(day(n) + 2 * hourMs)).toContain(
        "not read within sources.s.retention: 2026-03-02T00:00:00Z to 2026-03-03T00:00:00Z;",
      );
      expect(await status()).toContain(lost);
    }
    // Two empty answers have finalized it by now.
    expect(await status()).not.toContain("to 2026-03-02 00");
  });
});

describe("a time without events", () => {
  it("is reported by ingest and status once it is longer than a day and than usual", async () => {
    await remote.serve(hourly(-5, 0));
    source = { lookback: "5d" };
    await runAt(day(0) + 12 * hourMs);
    expect(await status()).not.toContain("no events");
    const err = await runAt(day(1) + 12 * hourMs);
    expect(err).toMatch(
      /^warning: no events for 1 d 13 h, since 2026-02-28T23:00:00Z; the longest silence before was 1 h/m,
    );
    expect(await status()).toContain("warning: no events for 1 d 13 h");
  });
});

describe("lateness", () => {
  const lateBy = (ms: number, hours: number, name: string): LoggedEvent =>
    eventAt(ms, ms + hours * hourMs, { event_name: name, id: `${name}-${ms}` });

  it("is measured per event name where an earlier read should have returned the event", async () => {
    const late = [
      lateBy(day(-1) + 20 * hourMs, 30, "segment_modify"),
      lateBy(day(-1) + 10 * hourMs, 50, "job_issue"),
      // Young when it was first looked for: no later than the grace period allows.
      lateBy(day(0) + 1.5 * hourMs, 3, "job_run"),
    ];
    await remote.serve([...hourly(-3, 3), ...late]);
    source = { lookback: "2d" };
    for (const n of [0, 1, 2]) await runAt(day(n) + 2 * hourMs);
    const { sources } = JSON.parse((await cli("status", "--json")).out);
    expect(sources[0].lateness).toEqual([
      {
        event_name: "job_issue",
        late_events: 1,
        median_seconds: 48 * 3600,
        p99_seconds: 48 * 3600,
        max_seconds: 48 * 3600,
      },
      {
        event_name: "segment_modify",
        late_events: 1,
        median_seconds: 24 * 3600,
        p99_seconds: 24 * 3600,
        max_seconds: 24 * 3600,
      },
    ]);
    const text = await status();
    expect(text).toContain("lateness 2 events, up to 2 d; sources.s.lookback is 2 d");
    source = { lookback: "30h" };
    expect(await status()).toContain("set sources.s.lookback to 3d");
  });

  it("ignores events of a first read, a backfill or a file", async () => {
    await remote.serve(hourly(-9, 1));
    await runAt(day(0) + 2 * hourMs);
    await runAt(day(0) + 3 * hourMs, "--from", "9d");
    const file = remote.home.write(
      "f.ndjson",
      JSON.stringify({ time: day(-1) / 1000 + 7, event_name: "a" }),
    );
    await cli("import", file);
    expect(await status()).toContain("lateness none seen; sources.s.lookback is 2 d");
  });
});

describe("rows that the service no longer returns", () => {
  it("are retained and counted by ingest, and status names their windows", async () => {
    await remote.serve(hourly(-2, 0));
    await runAt(day(0) + 2 * hourMs);
    await remote.serve(hourly(-2, 0).slice(0, -3));
    expect(await runAt(day(0) + 3 * hourMs)).toContain("3 missing at the source");
    const missing = "no longer returned 3 rows in 1 window, the first from 2026-02-28 00:00:00";
    expect(await status()).toContain(missing);
    expect(await remote.home.count("select count(*) from events")).toBe(48);
  });
});
