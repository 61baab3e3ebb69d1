import { fault } from "../../../../../pipeline/base/notice/notice.ts";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configSchema } from "../../../../../schemas/config.ts";
import { resolveHome } from "../../../../../pipeline/base/home/layout.ts";
import { writeManifest } from "../../../../../pipeline/core/landing/manifests.ts";
import { landPage } from "../../../../support/land.ts";
import { loadPending } from "../../../../../pipeline/core/load/pending-reads.ts";
import { newRun } from "../../../../../pipeline/core/store/ledger/record.ts";
import { withWriter } from "../../../../../pipeline/core/session/write.ts";
import type { Settings } from "../../../../../pipeline/base/home/settings.ts";
import { testWorld } from "../../../../support/world.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../../../support/remote.ts";

// A page of nothing but unreadable records is stored like any other. A read that fails for an unexpected reason does
// not block the others.

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
  const { landing } = resolveHome(remote.home.home);
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

const listHeld = async (): Promise<number[]> => [
  await remote.home.count("select count(*) from quarantine where reason = 'no_time'"),
  await remote.home.count("select count(*) from events"),
];

describe("more records without a time than a call has arguments", () => {
  it.each([
    ["plain", []],
    // The walk of each record, where keys differ in letter case alone, refuses them before the database does.
    ["refused while staged", Array.from({ length: count }, (_, i) => `{"id":"s${i}","id":1}\n`)],
  ])("are quarantined by an import: %s", async (_what, more) => {
    const path = remote.home.write("many.ndjson", [...timeless, whole, ...more].join(""));
    const { code, err } = await remote.home.run(["import", path]);
    expect([code, err]).toEqual([
      6,
      expect.stringContaining(`1 new, 0 duplicates, ${count + more.length} quarantined`),
    ]);
    expect(await listHeld()).toEqual([count, 1]);
  });

  it("are loaded from a stored read, and the run continues", async () => {
    await leave("many", timeless.join("") + whole);
    const { code, err } = await remote.ingest();
    expect([code, err]).toEqual([0, expect.stringContaining("1 event in")]);
    expect(await listHeld()).toEqual([count, 2]);
  });
});

it("an unexpected error fails only its read, not later ones", async () => {
  await leave("odd", whole);
  await leave("even", whole.replace("whole", "even"));
  const home = resolveHome(remote.home.home);
  const settings: Settings = {
    home,
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: remote.home.home,
    flags: { logLevel: "silent", progress: "none", quiet: true },
  };
  const like = newRun({
    runId: "new",
    source: "default",
    command: "ingest",
    startedAt: "2026-03-01 02:00:00",
    rangeStart: null,
    rangeEnd: null,
    catalogVersion: "1",
    toolVersion: "1",
  });
  // A staging folder that cannot be made: there is a file in its way.
  const broken = { ...home, staging: join(remote.home.write("in-the-way", ""), "staging") };
  const resumed = await withWriter(settings, testWorld(), "ingest", (writer) =>
    loadPending(broken, like, writer, testWorld()),
  );
  expect(resumed).toEqual({
    loaded: 0,
    quarantined: 0,
    failures: ["odd", "even"].map((readId) => {
      const why = `^landed read ${readId}: ENOTDIR.*; please report this$`;
      return fault("read_unloaded", { why: expect.stringMatching(why) as string });
    }),
    ambiguous: [],
  });
  expect((await remote.ingest()).code).toBe(0);
  expect(await remote.home.count("select count(*) from events")).toBe(3);
});
