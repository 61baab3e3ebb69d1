import { describe, expect, it } from "vitest";
import { eventAt, hourMs } from "../../../support/remote.ts";
import { daily, day, newSeveralRuns, text } from "./several-runs.ts";

// Several scheduled runs: when a window is finalized.

const scene = newSeveralRuns();
const { states, runAt } = scene;

describe("a window", () => {
  it("is open until its end is older than the grace period, then closed, and finalized when a second read agrees", async () => {
    await scene.remote.serve(daily(-2, 1));
    await runAt(day(0) + 59 * 60_000);
    expect(await states()).toEqual({ "02-27": "closed", "02-28": "open", "03-01": "open" });
    await runAt(day(0) + hourMs);
    expect(await states()).toEqual({ "02-27": "finalized", "02-28": "closed", "03-01": "open" });
    await runAt(day(0) + 2 * hourMs);
    expect(await states()).toEqual({ "02-27": "finalized", "02-28": "finalized", "03-01": "open" });
  });

  it("is not finalized by a read before it closed, even if that agrees", async () => {
    await scene.remote.serve([eventAt(day(-1))]);
    await runAt(day(0) + 30 * 60_000);
    await runAt(day(0) + 2 * hourMs);
    expect((await states())["02-28"]).toBe("closed");
  });

  it("is still re-read after a late event, and is finalized again when two reads agree", async () => {
    const late = eventAt(day(-1) + 5 * hourMs, day(0) + 5 * hourMs, { id: "late" });
    await scene.remote.serve([...daily(-2, 1), late]);
    await runAt(day(0) + 2 * hourMs);
    await runAt(day(0) + 3 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
    await runAt(day(0) + 6 * hourMs);
    expect((await states())["02-28"]).toBe("closed");
    expect(await scene.remote.home.count("select count(*) from events where id = 'late'")).toBe(1);
    await runAt(day(0) + 7 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
  });

  it("stays finalized if the service deletes its beginning, until it shows more besides the rest", async () => {
    // Equal ones, on separate pages: they are known, and need no second read.
    const twin = () => eventAt(day(-1) + 5 * hourMs, day(-1), { id: undefined });
    const left = [twin(), twin(), eventAt(day(-1) + 6 * hourMs)];
    const first = eventAt(day(-1) + hourMs);
    await scene.remote.serve([first, ...left], { pageCap: 1 });
    for (const hour of [2, 3, 4]) await runAt(day(0) + hour * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
    await scene.remote.serve(left, { pageCap: 1 });
    await runAt(day(0) + 5 * hourMs);
    const newest =
      "select state, reason, doubtful, withheld from window_reads where window_start = '2026-02-28' order by read_at desc limit 1";
    const forgotten = { state: "finalized", reason: "forgotten", doubtful: "2", withheld: "0" };
    expect(await scene.remote.home.rows(newest)).toEqual([forgotten]);
    await scene.remote.serve([...left, eventAt(day(-1) + 7 * hourMs)], { pageCap: 1 });
    await runAt(day(0) + 6 * hourMs);
    expect(await scene.remote.home.rows(newest)).toMatchObject([
      { state: "closed", reason: "forgotten" },
    ]);
  });

  it("closes when the earlier of both clocks has passed its end", async () => {
    let serviceMs = day(0) - hourMs;
    await scene.remote.serve([eventAt(day(-1))], { now: () => serviceMs });
    await runAt(day(0) + 12 * hourMs);
    expect((await states())["02-28"]).toBe("open");
    serviceMs = day(0) + 12 * hourMs;
    await runAt(day(0) - hourMs);
    expect((await states())["02-28"]).toBe("open");
    await runAt(day(0) + 12 * hourMs);
    expect((await states())["02-28"]).toBe("closed");
  });

  it("follows the configured size and grace period", async () => {
    const config = scene.remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { s: { window: "6h", grace_period: "3h", lookback: "12h" } } }),
    );
    await scene.remote.serve(daily(-1, 1));
    scene.remote.clock.nowMs = day(0) + 2 * hourMs;
    const { code } = await scene.remote.home.run(["--config", config, "ingest"], {
      env: scene.remote.env(),
      now: () => scene.remote.clock.nowMs,
    });
    expect(code).toBe(0);
    expect(
      await scene.remote.home.rows("select window_start, state from ingest_windows order by 1"),
    ).toEqual([
      { window_start: text(day(0) - 12 * hourMs), state: "closed" },
      { window_start: text(day(0) - 6 * hourMs), state: "open" },
      { window_start: text(day(0)), state: "open" },
    ]);
  });
});

describe("records outside the requested window", () => {
  it("are stored, counted and never duplicated", async () => {
    await scene.remote.serve(daily(-2, 1));
    // A service that takes no window answers everything to every request.
    const config = scene.remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { s: { audits: { window_params: null } } } }),
    );
    const { code, err } = await scene.remote.home.run(["--config", config, "ingest"], {
      env: scene.remote.env(),
      now: () => scene.remote.clock.nowMs,
    });
    expect([code, err]).toEqual([0, err]);
    expect(await scene.remote.home.count("select count(*) from events")).toBe(9);
    expect(await scene.remote.home.count("select max(outside) from window_reads")).toBe(8);
    expect(
      await scene.remote.home.count(
        "select count(*) from events where window_start <> date_trunc('day', event_time)",
      ),
    ).toBe(0);
  });
});

describe("rows that are missing in a later read", () => {
  it("do not prevent finalizing if their status is known", async () => {
    const all = daily(-2, 0).map((event, i) => ({
      ...event,
      record: { ...event.record, id: `id ${i}` },
    }));
    await scene.remote.serve(all);
    await runAt(day(0) + 2 * hourMs);
    const altered = all.map((event) => ({
      ...event,
      record: { ...event.record, event_result: "altered at its source" },
    }));
    await scene.remote.serve(altered);
    expect(await runAt(day(0) + 3 * hourMs)).toContain("missing at the source");
    expect((await states())["02-28"]).toBe("closed");
    await runAt(day(0) + 4 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
    expect(await scene.remote.home.count("select count(*) from id_conflicts")).toBe(all.length);
  });

  it("are retained, counted as missing, and prevent finalizing until the service returns them", async () => {
    const all = daily(-2, 0);
    await scene.remote.serve(all);
    await runAt(day(0) + 2 * hourMs);
    await scene.remote.serve(all.slice(1, -2));
    expect(await runAt(day(0) + 3 * hourMs)).toContain("3 missing at the source");
    expect(await scene.remote.home.count("select count(*) from events")).toBe(8);
    expect((await states())["02-28"]).toBe("closed");
    const sums = "select sum(vanished) from ingest_windows";
    expect(await scene.remote.home.count(sums)).toBe(3);
    // Another read agrees with it, with the same rows missing.
    expect(await runAt(day(0) + 4 * hourMs)).toContain(
      "events of an earlier read are missing in the last one",
    );
    expect((await states())["02-28"]).toBe("closed");
    await scene.remote.serve(all);
    await runAt(day(0) + 5 * hourMs);
    await runAt(day(0) + 6 * hourMs);
    expect((await states())["02-28"]).toBe("finalized");
  });
});
