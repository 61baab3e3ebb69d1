import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logged, type LoggedEvent } from "../../../fixtures/record.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

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

/** Equal records without an id: only their number tells them apart. */
const twins = (ms: number, n: number): LoggedEvent[] =>
  Array.from({ length: n }, () => logged({ time: ms / 1000, event_name: "job_kill", user_id: 7 }));

describe("records that stand on two pages", () => {
  it("balance in the books, and a rebuild from the pages comes to the same", async () => {
    await remote.serve([...twins(day + hourMs, 7), ...hourly], { pageCap: 3 });
    await remote.ingest(range);
    const books =
      "select count(*) from window_reads where fetched <> inserted + duplicate + quarantined";
    expect(await remote.home.count(books)).toBe(0);
    const { code, err } = await remote.home.run(["rebuild"]);
    expect([code, err]).toEqual([0, expect.stringContaining("equal to the one before")]);
  });
});
