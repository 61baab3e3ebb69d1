import { expect, it } from "vitest";
import type { DeliveryRun } from "../../../../pipeline/core/store/delivery-runs.ts";
import {
  printDeliveries,
  printStatus,
  listSourceFacts,
  type SourceStatus,
} from "../../../../pipeline/answers/status/print.ts";

const totals = {
  events: 1234,
  first_event: "2026-03-01T00:00:00.123Z",
  last_event: "2026-03-02T01:02:03Z",
  final_from: "2026-03-01T00:00:00Z",
  final_up_to: "2026-03-02T00:00:00Z",
  read_up_to: "2026-03-03T00:00:00Z",
  last_success: "2026-03-03T00:10:00Z",
  vanished: 3,
  id_conflicts: 2,
  last_error: null,
  last_error_at: null,
};
const late = (name: string, events: number, most: number) => ({
  event_name: name,
  late_events: events,
  median_seconds: 1,
  p99_seconds: 60,
  max_seconds: most,
});
const status: SourceStatus = {
  source: "prod",
  totals,
  windows: [
    { windows: 2000, state: "final" },
    { windows: 1, state: "open" },
  ],
  gaps: [
    { gap_start: "2026-02-01T00:00:00Z", gap_end: "2026-02-02T00:00:00Z", is_lost: true },
    { gap_start: "2026-02-05T00:00:00Z", gap_end: "2026-02-06T00:00:00Z", is_lost: false },
  ],
  backfills: [],
  unfinalized: [],
  silence: null,
  lateness: [late("a", 2, 90), late("b", 1, 3600)],
  vanished: [{ window_start: "2026-03-01T00:00:00Z" }, { window_start: "2026-03-02T00:00:00Z" }],
  quarantine: [],
  is_configured: true,
  lookback_ms: 172_800_000,
  warnings: [],
};
const bare: SourceStatus = {
  ...status,
  totals: {
    ...totals,
    events: 0,
    final_from: null,
    last_success: null,
    vanished: 0,
    id_conflicts: 0,
  },
  windows: [],
  gaps: [],
  lateness: [],
  vanished: [],
};

it("a source is described with its events, or as having none", () => {
  expect(listSourceFacts(status)).toEqual([
    ["events", "1,234, 2026-03-01 00:00:00 to 2026-03-02 01:02:03"],
    ["verified complete", "from 2026-03-01 00:00:00 to 2026-03-02 00:00:00"],
    ["complete through", "2026-03-03 00:00:00"],
    ["last success", "2026-03-03 00:10:00"],
    ["windows", "2,000 final, 1 open"],
    [
      "gaps",
      "2026-02-01 00:00:00 to 2026-02-02 00:00:00 (lost), 2026-02-05 00:00:00 to 2026-02-06 00:00:00",
    ],
    ["lateness", "3 events, up to 1 h; sources.prod.lookback is 2 d"],
    ["no longer returned", "3 rows in 2 windows, the first from 2026-03-01 00:00:00"],
    ["conflicts", "2 ids with different contents; see id_conflicts"],
  ]);
  expect(listSourceFacts(bare)).toEqual([
    ["events", "0"],
    ["verified complete", "–"],
    ["complete through", "2026-03-03 00:00:00"],
    ["last success", "no complete scheduled run yet"],
    ["windows", "none"],
    ["gaps", "none"],
    ["lateness", "none seen; sources.prod.lookback is 2 d"],
    ["no longer returned", "0"],
  ]);
});

it("a read source that is not configured is reported as unread, without a look-back", () => {
  const listMessages = (of: SourceStatus): readonly (readonly [string, string])[] =>
    listSourceFacts({ ...of, is_configured: false });
  expect(listMessages(status)).toContainEqual([
    "reading",
    "stopped: sources.prod is not configured",
  ]);
  expect(listMessages(status)).toContainEqual(["lateness", "3 events, up to 1 h"]);
  expect(listMessages(bare).map(([label]) => label)).not.toContain("reading");
  expect(listMessages(bare)).toContainEqual(["lateness", "none seen"]);
});

async function print(
  work: (sink: (text: string) => Promise<void>) => Promise<void>,
): Promise<string> {
  let text = "";
  await work(async (part) => void (text += part));
  return text;
}

it("ten kinds of late events, the quarantine, the last error and the last runs are printed", async () => {
  const lateness = Array.from({ length: 11 }, (_, i) => late(`late_${i}`, 1, i));
  const run = {
    source: "prod",
    started_at: "2026-03-03T00:10:00.5Z",
    command: "ingest",
    outcome: "failed",
    fetched: 3,
    inserted: 2,
    quarantined: 1,
  };
  const source = {
    ...status,
    lateness,
    warnings: ["look at it"],
    quarantine: [{ reason: "bad time", records: 1, last_seen: "2026-03-03T00:10:00Z" }],
    totals: { ...totals, last_error: "it broke", last_error_at: "2026-03-03T00:10:00Z" },
  };
  const runs = [
    { ...run, seconds: 61 },
    { ...run, seconds: null },
  ];
  const text = await print((sink) => printStatus({ runs, sources: [source] }, sink, 120));
  expect(text).toMatch(/^\nsource prod\n {2}events /);
  expect(text).toContain("\nwarning: look at it\n");
  expect(text).toMatch(/\nlate events\n[^]*late_9[^]*\nquarantine\n/);
  expect(text).not.toContain("late_10");
  expect(text).toMatch(/bad time +1 +2026-03-03 00:10:00/);
  expect(text).toContain("\nlast error, 2026-03-03 00:10:00\nit broke\n");
  expect(text).toMatch(/prod +2026-03-03 00:10 +ingest +failed +1 min 1 s +3 +2 +1 *\n/);
  expect(text).toMatch(/prod +2026-03-03 00:10 +ingest +failed +3 +2 +1 *\n/);
  const none = await print((sink) => printStatus({ runs: [], sources: [] }, sink, 120));
  expect(none).toBe("\nno run yet\n");
});

it("each delivery is printed with its end, and with the rows that did not arrive", async () => {
  const run = {
    verb: "export",
    name: "denials",
    target: "lake",
    finished_at: "2026-03-03T00:10:59Z",
    outcome: "partial",
    accepted: 7,
    refused: 0,
    doubtful: 0,
  };
  const deliveries = [
    run,
    { ...run, refused: 1 },
    { ...run, doubtful: 2 },
    { ...run, refused: 1, doubtful: 2 },
  ];
  const text = await print((sink) =>
    printDeliveries(deliveries as unknown as DeliveryRun[], sink, 120),
  );
  const rows = text.split("\n").filter((line) => line.includes("denials"));
  expect(rows.map((row) => row.trim().replace(/^.*2026-03-03 00:10 +partial +/, ""))).toEqual([
    "7",
    "7, 1 refused",
    "7, 2 uncertain",
    "7, 1 refused, 2 uncertain",
  ]);
  expect(await print((sink) => printDeliveries([], sink, 120))).toBe("");
});
