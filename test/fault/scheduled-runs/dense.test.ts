import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toLoggedEvent, type AuditRecord, type LoggedEvent } from "../../../fixtures/record.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// Windows with more than one read may hold, against a service over HTTP.

const start = Date.UTC(2026, 2, 1);
const small = { read_pages: 3 };

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

/** One run with settings of the source. */
async function ingest(source: object, argv: readonly string[] = [], world = {}) {
  const config = remote.home.write("auditlake.json", JSON.stringify({ sources: { s: source } }));
  return remote.home.run(["--config", config, "ingest", ...argv], {
    env: remote.env(),
    now: () => remote.clock.nowMs,
    ...world,
  });
}
const rows = (sql: string): Promise<readonly Record<string, unknown>[]> => remote.home.rows(sql);
const count = (sql: string): Promise<number> => remote.home.count(sql);
const listStored = async (): Promise<[number, number]> => [
  await count("select count(*) from events"),
  await count("select count(distinct coalesce(id, event_key)) from events"),
];
/** The present windows: start, length in hours, state. */
const windows = async (): Promise<string[]> =>
  (
    await rows(
      "select strftime(window_start, '%d %H:%M:%S') || ' ' || date_diff('second', window_start, window_end) || ' ' || state as w from ingest_windows order by window_start",
    )
  ).map((row) => String(row["w"]));
const evenly = (fromMs: number, n: number, everyMs: number): LoggedEvent[] =>
  Array.from({ length: n }, (_, i) => eventAt(fromMs + i * everyMs));
const inOneSecond = (ms: number, n: number, more: Partial<AuditRecord> = {}): LoggedEvent[] =>
  Array.from({ length: n }, (_, i) =>
    toLoggedEvent({ time: ms / 1000, event_name: "job_kill", id: `tie-${i}`, ...more }),
  );

describe("more events in one second than a read may contain", () => {
  it("are stored once, over pages and runs", async () => {
    const tie = inOneSecond(start - 5 * hourMs, 2000);
    await remote.serve([...evenly(start - dayMs, 10, hourMs), ...tie], { pageCap: 200 });
    const first = await ingest({ limits: small });
    expect([first.code, first.err]).toEqual([0, first.err]);
    expect(await listStored()).toEqual([2010, 2010]);
    expect(await windows()).toContain("28 19:00:00 1 closed");
    remote.clock.nowMs += hourMs;
    const second = await ingest({ limits: small });
    expect(second.err).toMatch(
      /^2,010 events in 3 windows \(\d+ reads\): 0 new, 2,010 duplicates/m,
    );
    expect(await listStored()).toEqual([2010, 2010]);
    expect(second.err).toContain("to 2026-03-01T00:00:00Z");
  });

  it("keep their number without ids", async () => {
    const tie = Array.from({ length: 2000 }, (_, i) =>
      toLoggedEvent({
        time: start / 1000 - 60,
        event_name: "job_kill",
        user_id: Math.floor(i / 2),
      }),
    );
    await remote.serve(tie, { order: "newest_first", pageCap: 199 });
    await ingest({ limits: small });
    expect((await listStored())[0]).toBe(2000);
    remote.clock.nowMs += hourMs;
    await ingest({ limits: small });
    expect((await listStored())[0]).toBe(2000);
  });
});

describe("a burst", () => {
  const burst = evenly(start - dayMs + 6 * hourMs, 1200, 20_000);

  it("is read in parts, each in its own commit", async () => {
    await remote.serve(burst, { pageCap: 50 });
    const { code, err } = await ingest({ limits: small }, [
      "--from",
      "2026-02-28",
      "--to",
      "2026-03-01",
    ]);
    expect([code, err]).toEqual([0, err]);
    expect(await listStored()).toEqual([1200, 1200]);
    expect(await count("select max(pages) from window_reads")).toBeLessThanOrEqual(3);
    expect(await count("select count(*) from window_reads")).toBeGreaterThan(8);
    const seconds = "select sum(date_diff('second', window_start, window_end)) from ingest_windows";
    expect(await count(seconds)).toBe(86_400);
  });

  it("that is too long for one run is resumed by the next one", async () => {
    const service = await remote.serve(burst, { pageCap: 50 });
    let runs = 0;
    for (; runs < 30; runs++) {
      const controller = new AbortController();
      let answered = 0;
      remote.fault((request) => {
        // The run's time is up in the midst of reading.
        if (request.url?.startsWith("/v4/audits") && (answered += 1) > 25) controller.abort();
        return false;
      });
      const before = runs === 0 ? 0 : (await listStored())[0];
      const { code } = await ingest({ limits: { ...small, concurrency: 1 }, lookback: "1d" }, [], {
        signal: controller.signal,
      });
      expect((await listStored())[0]).toBeGreaterThan(before);
      remote.clock.nowMs += 60_000;
      if (code === 0 || (await listStored())[0] === 1200) break;
      expect(code).toBe(130);
    }
    expect(runs).toBeGreaterThan(2);
    expect(await listStored()).toEqual([1200, 1200]);
    expect(service.requests.audits).toBeLessThan(25 * 12);
  });

  it("is also read by page size", async () => {
    await remote.serve(burst, { pageCap: 50 });
    await ingest({ limits: { read_bytes: 8192 } });
    expect(await listStored()).toEqual([1200, 1200]);
    const most = await count(
      "select max(b) from (select sum(bytes) as b from ingest_pages group by read_id)",
    );
    expect(most).toBeLessThan(2 * 8192);
  });

  it("fits also if a single page is too long", async () => {
    await remote.serve(burst, { paging: "none" });
    const { code, err } = await ingest({
      audits: { paging: { style: "none" } },
      limits: { max_page_bytes: 8192 },
    });
    expect([code, err]).toEqual([0, err]);
    expect(await listStored()).toEqual([1200, 1200]);
  });
});

describe("an answer that is too long by itself", () => {
  const burst = evenly(start - dayMs, 1440, 60_000);
  const day = ["--from", "2026-02-28", "--to", "2026-03-01"];

  it.each(["page", "cursor", "link_header"] as const)(
    "costs one request with pages of style %s, and the error names the setting",
    async (style) => {
      const service = await remote.serve(burst, { paging: style });
      const source = { audits: { paging: { style } }, limits: { max_page_bytes: 8192 } };
      const { code, err } = await ingest(source, day);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(
          /longer than 8192 bytes; lower audits\.paging\.size or raise limits\.max_page_bytes/,
        ),
      ]);
      expect(service.requests.audits).toBe(1);
    },
  );

  it("costs a handful of requests without pages, if no shorter window helps", async () => {
    const service = await remote.serve(burst, { paging: "none" });
    const audits = { paging: { style: "none" }, window_params: { from: "begin", to: "end" } };
    const { code, err } = await ingest({ audits, limits: { max_page_bytes: 1024 } }, day);
    expect([code, err]).toEqual([1, expect.stringMatching(/limits\.max_page_bytes .*raise that/)]);
    expect(service.requests.audits).toBeLessThanOrEqual(10);
  });
});

describe("parts and complete reads of a window", () => {
  const log = evenly(start - dayMs + hourMs, 400, 180_000);
  const day = ["--from", "2026-02-28", "--to", "2026-03-01"];
  const parts = { limits: small };

  it("are equal: parts that are read twice are finalized, and so is the day", async () => {
    await remote.serve(log, { pageCap: 50 });
    await ingest(parts);
    expect(await windows()).not.toContainEqual(expect.stringContaining("finalized"));
    remote.clock.nowMs += hourMs;
    const { err } = await ingest(parts);
    expect(err).toContain("to 2026-03-01T00:00:00Z");
    const states = await windows();
    expect(states.filter((state) => state.startsWith("28")).length).toBeGreaterThan(2);
    expect(states.filter((state) => /^28.*(closed|open)$/.test(state))).toEqual([]);
  });

  it("are not compared: the parts count as a first read", async () => {
    await remote.serve(log, { pageCap: 50 });
    await ingest({}, day);
    remote.clock.nowMs += hourMs;
    const more = evenly(start - dayMs + 2000, 200, 90_000);
    await remote.serve([...log, ...more], { pageCap: 50 });
    for (const state of ["closed", "finalized"]) {
      await ingest({ limits: { read_pages: 9 } }, day);
      const states = await windows();
      expect(states.length).toBeGreaterThan(1);
      expect(states.filter((text) => !text.endsWith(state))).toEqual([]);
      remote.clock.nowMs += hourMs;
    }
    expect(await listStored()).toEqual([600, 600]);
  });

  it("differ if a part contains something else, and only that part stays pending", async () => {
    await remote.serve(log, { pageCap: 50 });
    await ingest(parts);
    remote.clock.nowMs += hourMs;
    await remote.serve([...log, eventAt(start - 60_000, start)], { pageCap: 50 });
    const { err } = await ingest(parts);
    expect(err).toContain("1 new");
    const states = (await windows()).filter((state) => state.startsWith("28"));
    expect(states.filter((state) => state.endsWith("closed"))).toHaveLength(1);
    expect(err).toMatch(/verified complete from \S+ to 2026-02-28T\d\d:/);
    remote.clock.nowMs += hourMs;
    expect((await ingest(parts)).err).toContain("to 2026-03-01T00:00:00Z");
  });
});

describe("a service without a time range", () => {
  const log = evenly(start - dayMs, 300, 60_000);

  it("is read completely, and reported as such", async () => {
    await remote.serve(log, { pageCap: 50 });
    const { code, err } = await ingest({
      audits: { window_params: null },
      limits: small,
      lookback: "1h",
    });
    expect(code).toBe(0);
    expect(err).toMatch(
      /warning: .*2026-03-01.*sources\.s\.audits\.window_params is null, so it cannot be split/,
    );
    expect(await listStored()).toEqual([300, 300]);
  });

  it("causes an error if even that is too much", async () => {
    await remote.serve(log, { pageCap: 50 });
    const limits = { ...small, max_pages: 4 };
    const { code, err } = await ingest({ audits: { window_params: null }, limits, lookback: "1h" });
    expect(code).toBe(1);
    expect(err).toMatch(/more than 4 pages and cannot be split, since .*window_params is null/);
  });

  it("is detected if it only ignores the range", async () => {
    const service = await remote.serve(log, { pageCap: 50 });
    const { code, err } = await ingest({
      audits: { window_params: { from: "begin", to: "end" } },
      limits: small,
    });
    expect(code).toBe(0);
    expect(err).toMatch(/warning: the service ignores the requested window/);
    expect(await listStored()).toEqual([300, 300]);
    expect(service.requests.audits).toBeLessThan(60);
  });

  it.each([
    ["1h", 1],
    ["2d", 3],
  ])("is given up soon if it grows with each request: %s, %i windows", async (lookback, count) => {
    const coming = evenly(start + 2 * hourMs, 20_000, 1000);
    const service = await remote.serve([...log, ...coming], {
      pageCap: 50,
      order: "newest_first",
    });
    remote.fault(() => {
      remote.clock.nowMs += 1000;
      return false;
    });
    const { code, err } = await ingest({
      audits: { window_params: { from: "begin", to: "end" } },
      limits: small,
      lookback,
    });
    expect([code, err]).toEqual([1, err]);
    expect(err.match(/^error: .*$/gm)).toEqual([
      expect.stringMatching(
        /2026-03-01T00:00:00Z: more than one read may contain, .* check sources\.s\.audits\.window_params/,
      ),
    ]);
    expect(service.requests.audits).toBeLessThan(count * 4 + 60);
  });

  it("is read in parts if it honours the range and grows", async () => {
    const coming = evenly(start + 2 * hourMs, 20_000, 1000);
    await remote.serve([...log, ...coming], { pageCap: 50, order: "newest_first" });
    remote.fault(() => {
      remote.clock.nowMs += 1000;
      return false;
    });
    const { code, err } = await ingest({ limits: small });
    expect([code, err]).toEqual([0, err]);
    expect((await listStored())[0]).toBeGreaterThanOrEqual(300);
  });
});
