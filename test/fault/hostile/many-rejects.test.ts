import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeAt } from "../../../pipeline/home/layout.ts";
import { writeManifest } from "../../../pipeline/landing/manifests.ts";
import { landPage } from "../../support/land.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// A page of nothing but records that cannot be read is kept like any other, and no read that fails for a reason
// nobody thought of stands in the way of the others.

const start = Date.UTC(2026, 2, 1);
const count = 130_000;
const timeless = Array.from({ length: count }, (_, i) => `{"event_name":"x","id":"${i}"}\n`);
const whole = `{"event_name":"x","id":"whole","time":${start / 1000 - 7200}}\n`;

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
  await remote.serve([eventAt(start - hourMs)]);
});
afterEach(() => remote[Symbol.asyncDispose]());

async function leave(readId: string, text: string): Promise<void> {
  const { landing } = homeAt(remote.home.home);
  await writeManifest(landing, {
    version: 1,
    read_id: readId,
    run_id: readId,
    command: "import",
    source: "default",
    window_start: null,
    window_end: null,
    window_ms: 24 * hourMs,
    read_at: `2026-03-01 01:00:00.${readId.length}`,
    server_time: null,
    closed: false,
    nightly: false,
    range_start: null,
    records_at: null,
    pages: [await landPage(landing, Buffer.from(text), "ndjson")],
  });
}

const held = async (): Promise<number[]> => [
  await remote.home.count("select count(*) from quarantine where reason = 'no_time'"),
  await remote.home.count("select count(*) from events"),
];

describe("more records without a time than a call takes arguments", () => {
  it("are loaded from a read that was left, and the run goes on", async () => {
    await leave("many", timeless.join("") + whole);
    const { code, err } = await remote.ingest();
    expect([code, err]).toEqual([0, expect.stringContaining("1 events in")]);
    expect(await held()).toEqual([count, 2]);
  });
});
