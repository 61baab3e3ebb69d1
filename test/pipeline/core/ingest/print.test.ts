import { expect, it } from "vitest";
import { fault, warning } from "../../../../pipeline/base/notice/notice.ts";
import { printSummary, type Report } from "../../../../pipeline/core/ingest/report.ts";
import type { NamedSource } from "../../../../pipeline/base/home/settings.ts";
import { buildSource } from "../source/discovery/found.ts";
import { testWorld } from "../../../support/world.ts";

// What a run says of what it came to.

const source: NamedSource = { ...buildSource(), name: "prod" };
const dayMs = 86_400_000;
const start = Date.UTC(2026, 2, 1);
const buildDay = (n: number): { startMs: number; endMs: number } => ({
  startMs: start + n * dayMs,
  endMs: start + (n + 1) * dayMs,
});

const counts = { windows: 2, fetched: 5, inserted: 1200, duplicate: 1, requests: 3 };
const run = { ...counts, retries: 0, quarantined: 0, missing: 0 };
const quiet = {
  failures: [],
  disagreeing: [],
  unsplit: [],
  contradicted: [],
  left: [],
  ignoresWindows: false,
};
const ingested = {
  plan: {
    windows: [buildDay(0), buildDay(1)],
    range: { startMs: start, endMs: start + 2 * dayMs },
    isScheduledRun: true,
  },
  run,
  ...quiet,
  resumed: { failures: [], quarantined: 0 },
  usersError: undefined,
  warnings: [],
  waiting: [],
  gaps: [],
  final: undefined,
};

type Change = Partial<Record<keyof Report, unknown>> & {
  readonly run?: object;
  readonly plan?: object;
};

function said(change: Change, isQuiet = false, signal?: AbortSignal, own = source): string[] {
  const all = {
    ...ingested,
    ...change,
    plan: { ...ingested.plan, ...change.plan },
    run: { ...run, ...change.run },
  } as unknown as Report;
  const world = testWorld(signal === undefined ? {} : { signal });
  printSummary(all, own, isQuiet, 1.25, world);
  return world.err().split("\n").slice(0, -1);
}

const nothingFinal =
  "verified complete: –; each window needs two equal, complete reads after its end";

it("arrivals are counted, in windows and reads, with the verified complete range", () => {
  expect(said({})).toEqual([
    "5 events in 2 windows: 1,200 new, 1 duplicate; 3 requests, 0 retries, 1.3 s",
    nothingFinal,
  ]);
  const more = { windows: 3, quarantined: 1, missing: 1, retries: 1 };
  const final = { startMs: start, endMs: start + dayMs };
  expect(
    said({ run: more, final, waiting: [warning("server_fault", { why: "one waits" })] }),
  ).toEqual([
    "5 events in 2 windows (3 reads): 1,200 new, 1 duplicate, 1 quarantined, 1 missing at the source; 3 requests, 1 retry, 1.3 s",
    "one waits",
    "verified complete from 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z",
  ]);
  const left = said({ left: [buildDay(1)], run: { windows: 1 } });
  expect(left[0]).toMatch(/^5 events in 1 read: /);
});

it("only messages that need action are printed under --quiet", () => {
  expect(said({}, true)).toEqual([]);
  expect(said({ run: { quarantined: 1 } }, true)).toEqual([
    "warning: 1 record could not be read and went to the quarantine; see auditlake status",
  ]);
});

it("failures of one reason are one line before the warnings, also under --quiet", () => {
  const failures = [
    { window: buildDay(2), message: "refused" },
    { window: buildDay(1), message: "broken" },
    { window: buildDay(0), message: "refused" },
  ];
  const gaps = [buildDay(3)];
  const resumed = { failures: [fault("read_unloaded", { why: "not loaded" })], quarantined: 1 };
  const change = { resumed, usersError: warning("server_fault", { why: "no users" }), gaps };
  const range = "--from 2026-03-04T00:00:00Z --to 2026-03-05T00:00:00Z";
  expect(
    said({ ...change, failures, warnings: [warning("server_fault", { why: "late" })] }, true),
  ).toEqual([
    "error: not loaded",
    "error: 2 windows, 2026-03-01T00:00:00Z to 2026-03-03T00:00:00Z: refused",
    "error: window 2026-03-02T00:00:00Z: broken",
    "warning: 1 record that an earlier run had stored could not be read and went to the quarantine; see auditlake status",
    "warning: no users",
    `warning: 2026-03-04T00:00:00Z to 2026-03-05T00:00:00Z left the scheduled range before it was verified complete, and is a coverage gap; run auditlake ingest --source prod ${range} --confirm, or auditlake ingest accept --source prod ${range} --reason TEXT`,
    "warning: late",
  ]);
});

it("windows that differ each time, or cannot be split, are reported", () => {
  const differing = said({ disagreeing: [buildDay(0)] }, true);
  expect(differing).toEqual([
    expect.stringMatching(/^warning: window 2026-03-01T00:00:00Z: \d+ reads, of which no two/),
  ]);
  const unsplit = { unsplit: [buildDay(1), buildDay(0)] };
  expect(said(unsplit, true)).toEqual([
    expect.stringMatching(
      /^warning: 2 windows, 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z: larger than one read.*sources\.prod\.audits\.window_params is null/,
    ),
  ]);
  expect(said({ unsplit: [buildDay(0)] }, true)).toEqual([
    expect.stringMatching(/^warning: window 2026-03-01T00:00:00Z: larger than one read/),
  ]);
  expect(said({ ...unsplit, ignoresWindows: true }, true)).toEqual([
    expect.stringMatching(/^warning: the service ignores the requested window/),
  ]);
});

it("an interrupted run prints where the next one resumes", () => {
  const stopped = AbortSignal.abort();
  const last = (change: Change, own = source): string => said(change, true, stopped, own).at(-1)!;
  expect(last({})).toBe("interrupted: 2 of 2 windows committed");
  for (const n of [0, 1])
    expect(last({ left: [buildDay(n)] })).toBe(
      `interrupted: 1 of 2 windows committed; the next run resumes at 2026-03-0${n + 1}T00:00:00Z`,
    );
  // Half of the second window is left.
  const half = { startMs: start + 1.5 * dayMs, endMs: start + 2 * dayMs };
  expect(last({ left: [half] })).toBe(
    "interrupted: 1 of 2 windows committed; the next run resumes at 2026-03-02T12:00:00Z",
  );
  const both = { left: [half, buildDay(0)], plan: { isScheduledRun: false } };
  const goOn =
    "interrupted: 0 of 2 windows committed; continue with auditlake ingest --source prod --from 2026-03-01T00:00:00Z --to 2026-03-03T00:00:00Z";
  expect(last(both, { ...source, confirm: false })).toBe(goOn);
  expect(last(both, { ...source, confirm: true })).toBe(`${goOn} --confirm`);
});
