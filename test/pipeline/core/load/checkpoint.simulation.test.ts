import { describe, expect, it } from "vitest";
import { asksFor, hourMs } from "../../../support/remote.ts";
import { daily, day, newSeveralRuns, text } from "./several-runs.ts";

// Several scheduled runs: how far the checkpoint may move.

const scene = newSeveralRuns();
const { states, checkpoint, runAt } = scene;

describe("the checkpoint", () => {
  it("starts where the first run started and moves over finalized windows", async () => {
    await scene.remote.serve(daily(-2, 3));
    await runAt(day(0) + 2 * hourMs);
    expect(await checkpoint()).toBe(text(day(-2)));
    await runAt(day(0) + 3 * hourMs);
    expect(await checkpoint()).toBe(text(day(0)));
    expect(await runAt(day(1) + 2 * hourMs)).toContain(
      "verified complete from 2026-02-27T00:00:00Z to 2026-03-01T00:00:00Z",
    );
    expect(await runAt(day(1) + 3 * hourMs)).toContain(
      "verified complete from 2026-02-27T00:00:00Z to 2026-03-02T00:00:00Z",
    );
  });

  it("stops at a coverage gap, which is re-read until it is closed", async () => {
    await scene.remote.serve(daily(-2, 6));
    scene.remote.fault((request, response) => {
      if (!asksFor(request, day(-1))) return false;
      response.writeHead(404).end();
      return true;
    });
    for (const n of [0, 1, 3]) {
      const err = await runAt(day(n) + 2 * hourMs, 6);
      expect(err).toContain("error: window 2026-02-28T00:00:00Z: ");
      expect(await checkpoint()).toBe(text(n === 0 ? day(-2) : day(-1)));
    }
    scene.remote.fault(undefined);
    await runAt(day(3) + 3 * hourMs);
    await runAt(day(3) + 4 * hourMs);
    expect(await checkpoint()).toBe(text(day(3)));
    expect(await scene.remote.home.count("select count(*) from events")).toBe(5 * 4 + 1);
  });

  it("is never moved by a backfill, regardless of what that finalizes", async () => {
    await scene.remote.serve(daily(-9, 1));
    await runAt(day(0) + 2 * hourMs);
    const before = await checkpoint();
    for (const minutes of [1, 2]) {
      scene.remote.clock.nowMs += minutes * 60_000;
      const { code } = await scene.remote.ingest(["--from", "2026-02-20", "--to", "2026-03-02"]);
      expect(code).toBe(0);
    }
    expect((await states())["02-27"]).toBe("finalized");
    expect(await checkpoint()).toBe(before);
    expect(
      await scene.remote.home.rows("select distinct command from ingest_runs order by 1"),
    ).toEqual([{ command: "backfill" }, { command: "ingest" }]);
  });

  it("is not set by a backfill alone", async () => {
    await scene.remote.serve(daily(-2, 1));
    for (const _ of [1, 2]) await scene.remote.ingest(["--from", "3d"]);
    expect(await checkpoint()).toBeUndefined();
    expect((await scene.remote.ingest(["--from", "3d"])).err).toContain(
      "verified complete from 2026-02-26T00:00:00Z",
    );
    expect(await checkpoint()).toBeUndefined();
  });

  it("does not pass a first window that failed", async () => {
    await scene.remote.serve(daily(-2, 6));
    scene.remote.fault((request, response) => {
      if (!asksFor(request, day(-2))) return false;
      response.writeHead(404).end();
      return true;
    });
    for (const n of [0, 3]) await runAt(day(n) + 2 * hourMs, 6);
    expect(await checkpoint()).toBe(text(day(-2)));
    scene.remote.fault(undefined);
    await runAt(day(4));
    await runAt(day(4) + hourMs);
    expect(
      await scene.remote.home.count("select count(*) from events where event_date < '2026-02-28'"),
    ).toBe(4);
    expect(await checkpoint()).toBe(text(day(3)));
  });

  it("makes a later run re-read what missed runs skipped", async () => {
    await scene.remote.serve(daily(-2, 20));
    await runAt(day(0) + 2 * hourMs);
    await runAt(day(0) + 3 * hourMs);
    await runAt(day(12) + 2 * hourMs);
    expect(await scene.remote.home.count("select count(distinct event_date) from events")).toBe(15);
    await runAt(day(12) + 3 * hourMs);
    expect(await checkpoint()).toBe(text(day(12)));
  });
});
