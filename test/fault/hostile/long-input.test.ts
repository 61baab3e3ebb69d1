import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatLines } from "../../support/home.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// A record that is too long to be loaded is kept whole.

const start = Date.UTC(2026, 2, 1);
const time = start / 1000;
const content = "s3cr3t-content";
const good = { time, event_name: "job_kill", resource_name: content };

let remote: Remote;
beforeAll(async () => {
  remote = await newRemote(start);
  await remote.serve([eventAt(start - hourMs)]);
  expect((await remote.home.load([good])).code).toBe(0);
});
afterAll(() => remote[Symbol.asyncDispose]());

describe("a record", () => {
  it("of 50 MB is stored beside the others", async () => {
    const big = { ...good, query_text: "x".repeat(50_000_000) };
    const file = remote.home.write("big.ndjson", formatLines([{ ...good, time: time - 2 }, big]));
    const { code, err } = await remote.home.run(["import", file]);
    expect([code, err]).toEqual([6, expect.stringContaining("1 new, 0 duplicates, 1 quarantined")]);
    expect(
      await remote.home.count(
        "select length(record_text) from quarantine where reason = 'too_large'",
      ),
    ).toBeGreaterThan(50_000_000);
  });
});
