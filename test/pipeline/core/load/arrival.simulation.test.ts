import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../../../fixtures/record.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

// The events of a run are selected by when they were read, not by when they happened. An event that the service shows
// late is new once, in the run that loads it.

const start = Date.UTC(2026, 2, 1, 2);
const listDenied = (ms: number, visibleAt = ms): LoggedEvent =>
  eventAt(ms, visibleAt, { event_name: "sign_in", event_result: "denied", user_id: 7 });

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start);
});
afterEach(() => remote[Symbol.asyncDispose]());

/** Reads the log on a day, and lists the denials that came since the day before. */
async function readDay(n: number): Promise<string[]> {
  remote.clock.nowMs = start + n * dayMs;
  expect((await remote.ingest(["--quiet"])).code).toBe(0);
  const seen = new Date(remote.clock.nowMs).toISOString();
  const argv = ["report", "run", "denials_list", "--since", "60d", "--format", "ndjson"];
  const { code, out } = await remote.home.run([...argv, "--param", `seen_since=${seen}`], {
    now: () => remote.clock.nowMs,
  });
  expect(code).toBe(0);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { event_time: string }).event_time);
}

const show = (ms: number): string => new Date(ms).toISOString().replace(".000", "");

describe("a list by arrival", () => {
  it("shows a late event once, in the run that loaded it, and each other event in its own run", async () => {
    const early = start - 20 * hourMs;
    const late = start - 15 * hourMs;
    const next = start + 10 * hourMs;
    await remote.serve([
      listDenied(early),
      listDenied(late, start + 20 * hourMs),
      listDenied(next),
    ]);
    expect(await readDay(0)).toEqual([show(early)]);
    expect(await readDay(1)).toEqual([show(late), show(next)]);
    for (const n of [2, 3]) expect(await readDay(n)).toEqual([]);
    expect(await remote.home.count("select count(*) from denials")).toBe(3);
  });

  it("omits an old event that is delivered again, whose times are unchanged", async () => {
    const old = listDenied(start - 20 * hourMs);
    await remote.serve([old]);
    expect(await readDay(0)).toHaveLength(1);
    const times = "select event_time, first_seen_at from events";
    const before = await remote.home.rows(times);
    await remote.serve([old, { ...old, visibleAt: start + dayMs }]);
    for (const n of [1, 2]) expect(await readDay(n)).toEqual([]);
    expect(await remote.home.rows(times)).toEqual(before);
  });
});
