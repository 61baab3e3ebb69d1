import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import type { SourceFacts } from "../../../../pipeline/core/completeness/ledger-facts.ts";
import { listReadWarnings, listWarnings } from "../../../../pipeline/core/completeness/warnings.ts";
import { dayMs } from "../../../support/remote.ts";

const day = (number: number): string => `2026-03-${String(number).padStart(2, "0")}T00:00:00Z`;
const gap = (from: number, to: number) => ({ gap_start: day(from), gap_end: day(to) });
const once = (from: number, to: number, reason = "once") => ({
  reason,
  windows: to - from,
  first_start: day(from),
  last_end: day(to),
  signs: "",
  is_scheduled: false,
});
const backfill = { range_start: "2026-03-02T08:00:00Z", range_end: day(10), outcome: "failed" };
type Known = Partial<Parameters<typeof listReadWarnings>[0]>;
const listMessages = (known: Known): string[] =>
  listReadWarnings(
    { source: "prod", gaps: [], backfills: [], unfinalized: [], silence: null, ...known },
    dayMs,
  ).map(formatNotice);

describe("a backfill that was interrupted", () => {
  const all = { gaps: [gap(5, 10)], backfills: [backfill], unfinalized: [once(2, 5)] };
  const line =
    "the backfill from 2026-03-02T08:00:00Z to 2026-03-10T00:00:00Z ended with outcome failed, before its whole range was read; run auditlake ingest --source prod --from 2026-03-02T08:00:00Z --to 2026-03-10T00:00:00Z --confirm";

  it("is reported in one line, with one command for everything remaining", () => {
    expect(listMessages(all)).toEqual([line]);
  });

  it("hides no other coverage gap or window, and none with other reasons", () => {
    const gaps = [...all.gaps, gap(20, 21)];
    const unfinalized = [...all.unfinalized, once(3, 4, "differs"), once(1, 5)];
    expect(listMessages({ ...all, gaps, unfinalized })).toEqual([
      expect.stringContaining(
        `1 coverage gap; to close it, run auditlake ingest --source prod --from ${day(20)}`,
      ),
      line,
      expect.stringContaining("the last two reads differ"),
      expect.stringContaining(
        "4 windows need a second read before they count as complete (2026-03-01",
      ),
    ]);
  });

  it("hides no lost coverage gap, and none beyond its range", () => {
    const lost = { ...gap(5, 6), is_lost: true };
    expect(listMessages({ ...all, gaps: [...all.gaps, lost] })).toEqual([
      expect.stringContaining(`not read within sources.prod.retention: ${day(5)} to ${day(6)}; `),
      line,
    ]);
    const beyond = { ...gap(9, 10), gap_end: "2026-03-10T12:00:00Z" };
    expect(listMessages({ ...all, gaps: [beyond] })).toEqual([
      expect.stringContaining(`--from ${day(9)} --to 2026-03-10T12:00:00Z`),
      line,
    ]);
  });

  it("is not reported if its range is complete: then each remaining item has its own line", () => {
    expect(listMessages({ ...all, gaps: [gap(20, 21)] })).toEqual([
      expect.stringContaining("1 coverage gap;"),
      expect.stringContaining("3 windows need a second read"),
    ]);
  });
});

it("is reported completely if a coverage gap starts or ends with a backfill", () => {
  const whole = { ...backfill, range_start: day(2) };
  for (const beside of [gap(1, 2), gap(10, 11)])
    expect(listMessages({ gaps: [beside], backfills: [whole] })).toEqual([
      expect.stringMatching(/^1 coverage gap;/),
    ]);
  for (const within of [gap(1, 3), gap(9, 11)])
    expect(listMessages({ gaps: [within], backfills: [whole] })).toHaveLength(2);
});

it("a source counts as scheduled, unless configured otherwise", () => {
  const unfinalized = [{ ...once(2, 3, "lacking"), is_scheduled: true }];
  expect(listMessages({ unfinalized }).join()).toContain(
    "; the next run of source prod reads it again; ",
  );
});

it("coverage gaps are counted, and the command names the first one", () => {
  const gaps = [gap(5, 6), gap(8, 9)];
  expect(listMessages({ gaps })).toEqual([
    `2 coverage gaps; to close the first, run auditlake ingest --source prod --from ${day(5)} --to ${day(6)}`,
  ]);
});

const hour = 3600;
const silent = (silent_seconds: number, usual_seconds: number): string[] =>
  listMessages({ silence: { silent_seconds, usual_seconds, last_event: day(1) } });

it.each([
  [24 * hour, 0, false],
  [24 * hour + 1, 0, true],
  [24 * hour + 1, 12 * hour + 1, false],
  [60 * hour, 30 * hour, false],
  [60 * hour + 1, 30 * hour, true],
])(
  "%i seconds without events, with a usual pause of %i, cause a warning: %s",
  (seconds, usual, expected) => {
    const lines = silent(seconds, usual);
    expect(lines).toHaveLength(expected ? 1 : 0);
    if (expected) expect(lines[0]!.includes("the longest silence before was")).toBe(usual > 0);
  },
);

it.each([
  ["lies behind the last event", gap(2, 5), "3 d"],
  ["begins before it", { gap_start: "2026-02-20T00:00:00Z", gap_end: day(3) }, "4 d"],
  ["reaches beyond what was read", { gap_start: day(5), gap_end: day(9) }, "4 d"],
  ["takes all but a day", gap(1, 6), undefined],
])("unread time does not count as silent: a coverage gap %s", (_what, one, expected) => {
  const silence = { silent_seconds: 6 * 24 * hour, usual_seconds: 0, last_event: day(1) };
  const lines = listMessages({ silence, gaps: [one] }).filter((line) =>
    line.startsWith("no events"),
  );
  const since = `since ${day(1)} (without coverage gaps); check`;
  expect(lines).toEqual(
    expected === undefined ? [] : [expect.stringContaining(`no events for ${expected}, ${since}`)],
  );
});

describe("the state of a source", () => {
  const nowMs = Date.parse(day(20));
  const all = (
    totals: object,
    lateSeconds: readonly number[] = [],
    retention = "10d",
  ): string[] => {
    const sources = { prod: { ...(retention === "" ? {} : { retention }), lookback: "2d" } };
    const settings = configSchema.parse({ sources }).sources["prod"]!;
    const lateness = lateSeconds.map((max_seconds) => ({ max_seconds }));
    const reading = { source: "prod", gaps: [], backfills: [], unfinalized: [], silence: null };
    const known = { last_error_at: null, last_success: null, read_up_to: null, ...totals };
    const facts = {
      ...reading,
      totals: known,
      lateness,
      windows: [],
      vanished: [],
      quarantine: [],
    };
    return listWarnings(facts as SourceFacts, settings, nowMs).map(formatNotice);
  };

  it("is behind the retention only if that has passed the read range", () => {
    expect(all({ read_up_to: day(10) })).toEqual([]);
    const [never] = all({ read_up_to: day(9) });
    expect(never).toMatch(
      /^no scheduled run has completed yet, and the service retains events for 10 d: events from /,
    );
    expect(never).toContain(`events from ${day(9)} to ${day(10)} may be lost`);
    const [late] = all({ read_up_to: day(9), last_success: day(9) });
    expect(late).toMatch(/^the last complete scheduled run was 11 d ago, /);
    // Of an unknown retention, nothing shows what the service has deleted.
    expect(all({ read_up_to: day(9), last_success: day(9) }, [], "")).toEqual([]);
  });

  it("is read again by the next run, unless it is not configured", () => {
    const once = { windows: 1, first_start: day(1), last_end: day(2), reason: "once" };
    const unfinalized = [{ ...once, is_scheduled: true, reason: "lacking" }];
    const sources = configSchema.parse({ sources: { prod: {} } }).sources;
    const nothing = { gaps: [], backfills: [], silence: null, lateness: [] };
    const facts = { source: "prod", totals: {}, unfinalized, ...nothing } as unknown as SourceFacts;
    const said = (...given: [boolean?]): string =>
      listWarnings(facts, sources["prod"]!, nowMs, ...given)
        .map(formatNotice)
        .join();
    expect(said()).toContain("; the next run of source prod reads it again");
    expect(said(true)).toBe(said());
    expect(said(false)).not.toContain("the next run");
    expect(listReadWarnings(facts, 1).map(formatNotice).join()).toBe(said());
  });

  it("needs a longer look-back if an event came later than that, by a whole day more", () => {
    expect(all({}, [2 * 24 * hour, 5])).toEqual([]);
    expect(all({}, [5, 2 * 24 * hour + 1])).toEqual([
      expect.stringMatching(
        /^events arrived up to 2 d late, but lookback is 2 d; set .*lookback to 4d$/,
      ),
    ]);
  });

  it("has a warning of the last error", () => {
    const failed = { last_error_at: day(5) };
    expect(all(failed)).toEqual([
      `the run of ${day(5)} had an error, and no scheduled run has completed since; see the last error`,
    ]);
    expect(all({ ...failed, last_error_at: null })).toEqual([]);
  });
});
