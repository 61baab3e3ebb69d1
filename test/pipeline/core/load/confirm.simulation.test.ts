import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toLoggedEvent, type LoggedEvent } from "../../../../fixtures/record.ts";
import {
  asksFor,
  dayMs,
  eventAt,
  hourMs,
  newRemote,
  type Remote,
} from "../../../support/remote.ts";

// Reads of one window that differ: records that come in between, pages that shift, a service that leaves some out.

const start = Date.UTC(2026, 2, 1);
const day = start - dayMs;
const range = ["--from", "2026-02-28", "--to", "2026-03-01"];

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

const hourly = Array.from({ length: 24 }, (_, i) => eventAt(day + i * hourMs));
const states = async (): Promise<unknown[]> =>
  (await remote.home.rows("select state, reads from ingest_windows order by window_start")).map(
    ({ state, reads }) => `${String(state)} ${String(reads)}`,
  );
const count = (): Promise<number> => remote.home.count("select count(*) from events");
const ids = (): Promise<number> => remote.home.count("select count(distinct id) from events");
const audits = (request: { url?: string | undefined }): URLSearchParams | undefined =>
  request.url?.startsWith("/v4/audits") ? new URL(request.url, "http://x").searchParams : undefined;

describe("a confirmation read", () => {
  it("finalizes closed windows in one run, and leaves open ones unchanged", async () => {
    const service = await remote.serve(hourly);
    const { code, err } = await remote.ingest(["--confirm"]);
    expect([code, err]).toEqual([0, err]);
    expect(await states()).toEqual(["finalized 2", "finalized 2", "open 1"]);
    expect(err).toContain("48 events in 3 windows (5 reads): 24 new, 24 duplicates");
    expect(err).toContain("verified complete from 2026-02-27T00:00:00Z to 2026-03-01T00:00:00Z");
    // The second read of a window with records asks for it in two parts.
    expect(service.requests.audits).toBe(6);
  });

  it("can be configured, and disabled by a flag", async () => {
    await remote.serve(hourly);
    const config = remote.home.write(
      "c.json",
      JSON.stringify({ sources: { s: { confirm: true } } }),
    );
    const run = async (...argv: string[]): Promise<void> => {
      remote.clock.nowMs += 60_000;
      const world = { env: remote.env(), now: () => remote.clock.nowMs };
      const { code } = await remote.home.run(["--config", config, "ingest", ...argv], world);
      expect(code).toBe(0);
    };
    await run("--no-confirm", ...range);
    expect(await states()).toEqual(["closed 1"]);
    await run(...range);
    expect(await states()).toEqual(["finalized 2"]);
  });

  it("loads what arrives in between, and continues until two reads agree", async () => {
    const extra = [1, 2].map((n) => eventAt(day + n * 60_000, start + 2 * hourMs + n));
    await remote.serve([...hourly, ...extra]);
    remote.fault((request) => {
      if (audits(request)) remote.clock.nowMs += 1;
      return false;
    });
    remote.clock.nowMs -= 1;
    const { code, err } = await remote.ingest([...range, "--confirm"]);
    expect([code, err]).toEqual([0, err]);
    expect(await states()).toEqual(["finalized 4"]);
    expect([await count(), await ids()]).toEqual([26, 26]);
  });

  it("gives up on a window that never agrees: stored, not finalized, reported", async () => {
    await remote.serve(hourly);
    let n = 0;
    remote.fault((request, response) => {
      if (!audits(request)) return false;
      n += 1;
      const records = hourly.filter((_, i) => i !== n).map(({ record }) => record);
      response.end(JSON.stringify({ audits: records, next_page: null }));
      return true;
    });
    const { code, err } = await remote.ingest([...range, "--confirm"]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning: window 2026-02-28T00:00:00Z: 5 reads, of which no two consecutive ones agree/m,
    );
    // Each read after the first asks for half of the range before it finds that the range is ignored.
    expect(n).toBe(9);
    expect(await states()).toEqual(["closed 5"]);
    expect(await count()).toBe(24);
    expect(await remote.home.rows("select outcome from ingest_runs")).toEqual([
      { outcome: "done" },
    ]);
  });
});

/** Equal records without an id: only their number distinguishes them. */
const twins = (ms: number, n: number): LoggedEvent[] =>
  Array.from({ length: n }, () =>
    toLoggedEvent({ time: ms / 1000, event_name: "job_kill", user_id: 7 }),
  );

describe("records that are on two pages", () => {
  it("are counted correctly, and a rebuild from the pages gives the same", async () => {
    await remote.serve([...twins(day + hourMs, 7), ...hourly], { pageCap: 3 });
    await remote.ingest(range);
    const books =
      "select count(*) from window_reads where fetched <> inserted + duplicate + quarantined";
    expect(await remote.home.count(books)).toBe(0);
    const { code, err } = await remote.home.run(["rebuild"]);
    expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
  });

  const visibleLate = (ms: number): LoggedEvent => ({
    ...eventAt(ms),
    visibleAt: start + 2 * hourMs + 1,
  });
  const anonymous = (ms: number): LoggedEvent =>
    toLoggedEvent({ time: ms / 1000, event_name: "job_kill" });
  // The late one comes in front of what was read: everything after it moves by one.
  const shiftOnce = (): void =>
    remote.fault((request) => {
      if (audits(request)?.get("page") === "2" || audits(request)?.get("page") === "5")
        remote.clock.nowMs = start + 2 * hourMs + 1;
      return false;
    });

  it.each(["page", "offset"] as const)(
    "are one event if pages shifted meanwhile (%s paging), without and with an id",
    async (paging) => {
      const log = [
        ...Array.from({ length: 5 }, (_, i) => anonymous(day + 2 * hourMs + i * 1000)),
        ...Array.from({ length: 5 }, (_, i) => eventAt(day + 3 * hourMs + i * 1000)),
        visibleLate(day + hourMs),
      ];
      await remote.serve(log, { pageCap: 5, paging });
      shiftOnce();
      const audit = { paging: { style: paging, first: paging === "page" ? 1 : 0, size: 5 } };
      const config = remote.home.write(
        "c.json",
        JSON.stringify({ sources: { s: { audits: audit } } }),
      );
      const world = { env: remote.env(), now: () => remote.clock.nowMs };
      const { code, err } = await remote.home.run(["--config", config, "ingest", ...range], world);
      expect([code, err]).toEqual([0, err]);
      expect([await count(), await ids()]).toEqual([11, 6]);
      // The second read has each record once: nothing is in doubt any more.
      expect(await states()).toEqual(["closed 2"]);
    },
  );

  it("are as many events as exist if nothing shifts", async () => {
    await remote.serve([...twins(day + hourMs, 7), ...hourly], { pageCap: 3 });
    const { code } = await remote.ingest(range);
    expect(code).toBe(0);
    expect(await count()).toBe(31);
    expect(await states()).toEqual(["finalized 2"]);
  });

  it("are as many events in a window that is still open", async () => {
    await remote.serve(twins(start + hourMs, 5), { pageCap: 3 });
    expect((await remote.ingest()).code).toBe(0);
    expect(await count()).toBe(5);
    expect((await states()).at(-1)).toBe("open 2");
  });

  it("need no second read if each page has its own", async () => {
    const service = await remote.serve([...twins(day + hourMs, 3), ...hourly], { pageCap: 50 });
    await remote.ingest(range);
    expect(await count()).toBe(27);
    expect(service.requests.audits).toBe(1);
  });
});

describe("a window that fails during its confirmation", () => {
  it("keeps its first read", async () => {
    await remote.serve(hourly);
    let n = 0;
    remote.fault((request, response) => {
      if (!asksFor(request, day) || (n += 1) < 2) return false;
      response.writeHead(404).end();
      return true;
    });
    expect((await remote.ingest([...range, "--confirm"])).code).toBe(6);
    expect(await states()).toEqual(["closed 1"]);
    expect(await count()).toBe(24);
  });
});
