import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { asksFor, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// The scheduled reading over several nights: when a window is final, and how far the checkpoint may go.

const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
const daily = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: (to - from) * 4 }, (_, i) => eventAt(day(from) + i * 6 * hourMs + 1000));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(day(0) + 2 * hourMs);
});
afterEach(async () => {
  expect(await books()).toEqual([]);
  await remote[Symbol.asyncDispose]();
});

// Nothing in the ledger may contradict itself.
const books = (): Promise<unknown> =>
  remote.home.rows(
    `select r.run_id from ingest_runs as r
     left join (select run_id, sum(fetched) f, sum(inserted) i, sum(duplicate) d, sum(quarantined) q, count(*) n from ingest_pages group by 1) as p on p.run_id = r.run_id
     where (r.fetched, r.inserted, r.duplicate, r.quarantined, r.pages)
       is distinct from (coalesce(p.f, 0), coalesce(p.i, 0), coalesce(p.d, 0), coalesce(p.q, 0), coalesce(p.n, 0))
       or r.fetched <> r.inserted + r.duplicate + r.quarantined`,
  );
const states = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await remote.home.rows("select window_start, state from ingest_windows order by 1")).map(
      (row) => [String(row["window_start"]).slice(5, 10), row["state"]],
    ),
  );
const checkpoint = async (): Promise<unknown> =>
  (await remote.home.rows("select finalized_until from checkpoints"))[0]?.["finalized_until"];
const night = async (atMs: number, code = 0): Promise<string> => {
  remote.clock.nowMs = atMs;
  const outcome = await remote.ingest();
  expect([outcome.err, outcome.code]).toEqual([outcome.err, code]);
  return outcome.err;
};

describe("a window", () => {
  it("is open until its end is older than the grace period, then closed, and finalized when a second read agrees", async () => {
    await remote.serve(daily(-2, 1));
    await night(day(0) + 59 * 60_000);
    expect(await states()).toEqual({ "02-27": "closed", "02-28": "open", "03-01": "open" });
    await night(day(0) + hourMs);
    expect(await states()).toEqual({ "02-27": "finalized", "02-28": "closed", "03-01": "open" });
    await night(day(0) + 2 * hourMs);
    expect(await states()).toEqual({ "02-27": "finalized", "02-28": "finalized", "03-01": "open" });
  });

  it("is not finalized by a read before it closed, even when that agrees", async () => {
    await remote.serve([eventAt(day(-1))]);
    await night(day(0) + 30 * 60_000);
    await night(day(0) + 2 * hourMs);
    expect((await states())["02-28"]).toBe("closed");
  });

  it("goes on being read after a late event, and is finalized again when two reads agree", async () => {
    const late = eventAt(day(-1) + 5 * hourMs, day(0) + 5 * hourMs, { id: "late" });
    await remote.serve([...daily(-2, 1), late]);
    await night(day(0) + 2 * hourMs);
    await night(day(0) + 3 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
    await night(day(0) + 6 * hourMs);
    expect((await states())["02-28"]).toBe("closed");
    expect(await remote.home.count("select count(*) from events where id = 'late'")).toBe(1);
    await night(day(0) + 7 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
  });

  it("is judged by the service's clock, not by ours", async () => {
    await remote.serve([eventAt(day(-1))], { now: () => day(0) - hourMs });
    await night(day(0) + 12 * hourMs);
    expect((await states())["02-28"]).toBe("open");
  });

  it("follows the configured size and grace period", async () => {
    const config = remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { s: { window: "6h", grace_period: "3h", lookback: "12h" } } }),
    );
    await remote.serve(daily(-1, 1));
    remote.clock.nowMs = day(0) + 2 * hourMs;
    const { code } = await remote.home.run(["--config", config, "ingest"], {
      env: remote.env(),
      now: () => remote.clock.nowMs,
    });
    expect(code).toBe(0);
    expect(
      await remote.home.rows("select window_start, state from ingest_windows order by 1"),
    ).toEqual([
      { window_start: text(day(0) - 12 * hourMs), state: "closed" },
      { window_start: text(day(0) - 6 * hourMs), state: "open" },
      { window_start: text(day(0)), state: "open" },
    ]);
  });
});

describe("records outside the window asked for", () => {
  it("are kept, counted and doubled by nothing", async () => {
    await remote.serve(daily(-2, 1));
    // A service that takes no window answers everything to every request.
    const config = remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { s: { audits: { window_params: null } } } }),
    );
    const { code, err } = await remote.home.run(["--config", config, "ingest"], {
      env: remote.env(),
      now: () => remote.clock.nowMs,
    });
    expect([code, err]).toEqual([0, err]);
    expect(await remote.home.count("select count(*) from events")).toBe(9);
    expect(await remote.home.count("select max(outside) from window_reads")).toBe(8);
    expect(
      await remote.home.count(
        "select count(*) from events where window_start <> date_trunc('day', event_time)",
      ),
    ).toBe(0);
  });
});

describe("rows that a later read lacks", () => {
  it("stay and are counted as vanished", async () => {
    const all = daily(-2, 0);
    await remote.serve(all);
    await night(day(0) + 2 * hourMs);
    await remote.serve(all.slice(1, -2));
    expect(await night(day(0) + 3 * hourMs)).toContain("3 vanished at the service");
    expect(await remote.home.count("select count(*) from events")).toBe(8);
    expect((await states())["02-28"]).toBe("closed");
    const sums = "select sum(vanished) from ingest_windows";
    expect(await remote.home.count(sums)).toBe(3);
    await night(day(0) + 4 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
  });
});

describe("the checkpoint", () => {
  it("starts where the first run began and moves over finalized windows", async () => {
    await remote.serve(daily(-2, 3));
    await night(day(0) + 2 * hourMs);
    expect(await checkpoint()).toBe(text(day(-2)));
    await night(day(0) + 3 * hourMs);
    expect(await checkpoint()).toBe(text(day(0)));
    expect(await night(day(1) + 2 * hourMs)).toContain(
      "final from 2026-02-27T00:00:00Z to 2026-03-01T00:00:00Z",
    );
    expect(await night(day(1) + 3 * hourMs)).toContain(
      "final from 2026-02-27T00:00:00Z to 2026-03-02T00:00:00Z",
    );
  });

  it("stops at a gap, and the gap is read again until it is closed", async () => {
    await remote.serve(daily(-2, 6));
    remote.fault((request, response) => {
      if (!asksFor(request, day(-1))) return false;
      response.writeHead(404).end();
      return true;
    });
    for (const n of [0, 1, 3]) {
      const err = await night(day(n) + 2 * hourMs, 6);
      expect(err).toContain("error: window 2026-02-28T00:00:00Z: ");
      expect(await checkpoint()).toBe(text(n === 0 ? day(-2) : day(-1)));
    }
    remote.fault(undefined);
    await night(day(3) + 3 * hourMs);
    await night(day(3) + 4 * hourMs);
    expect(await checkpoint()).toBe(text(day(3)));
    expect(await remote.home.count("select count(*) from events")).toBe(5 * 4 + 1);
  });

  it("is never moved by a backfill, whatever that finalizes", async () => {
    await remote.serve(daily(-9, 1));
    await night(day(0) + 2 * hourMs);
    const before = await checkpoint();
    for (const minutes of [1, 2]) {
      remote.clock.nowMs += minutes * 60_000;
      const { code } = await remote.ingest(["--from", "2026-02-20", "--to", "2026-03-02"]);
      expect(code).toBe(0);
    }
    expect((await states())["02-27"]).toBe("finalized");
    expect(await checkpoint()).toBe(before);
    expect(await remote.home.rows("select distinct command from ingest_runs order by 1")).toEqual([
      { command: "backfill" },
      { command: "ingest" },
    ]);
  });

  it("does not come from a backfill alone", async () => {
    await remote.serve(daily(-2, 1));
    for (const _ of [1, 2]) await remote.ingest(["--from", "3d"]);
    expect(await checkpoint()).toBeUndefined();
    expect((await remote.ingest(["--from", "3d"])).err).toContain(
      "final from 2026-02-26T00:00:00Z",
    );
    expect(await checkpoint()).toBeUndefined();
  });
});
