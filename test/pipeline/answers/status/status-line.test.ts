import { expect, test } from "vitest";
import { buildStatusLine } from "../../../../pipeline/answers/status/status-line.ts";
import { describeStatus } from "../../../../pipeline/answers/page-file/blocks/status.ts";
import type { LedgerFacts } from "../../../../pipeline/core/completeness/ledger-facts.ts";

const nowMs = Date.UTC(2026, 10, 27, 15, 40);
const at = (text: string): string => `2026-11-${text}:00.000Z`;

type SourceFacts = {
  readonly readUpTo?: string | null;
  readonly gaps?: readonly string[];
  readonly unfinalized?: readonly (readonly [reason: string, from: string, signs?: string])[];
  readonly events?: number;
  readonly lastError?: string;
};

/** What the ledger knows of one source, in few words. */
function ledger(...sources: readonly SourceFacts[]): LedgerFacts {
  return {
    runs: [],
    sources: sources.map(
      ({ readUpTo = at("27T15:30"), gaps = [], unfinalized = [], events = 9, lastError }) =>
        ({
          source: "default",
          gaps: gaps.map((from) => ({ gap_start: from })),
          unfinalized: unfinalized.map(([reason, from, signs = ""]) => ({
            reason,
            signs,
            windows: 2,
            first_start: from,
          })),
          totals: {
            events,
            read_up_to: readUpTo,
            final_up_to: null,
            last_event: at("26T23:59"),
            last_quarantined: 0,
            last_error: lastError ?? null,
          },
          lateness: [],
        }) as unknown as LedgerFacts["sources"][number],
    ),
  };
}

const describe = (facts: LedgerFacts) => {
  const line = buildStatusLine(facts, 0, nowMs);
  return { level: line.level, ...describeStatus(line, { display: { zone: "UTC" }, nowMs }) };
};

test("windows that wait for their second read leave the data complete", () => {
  const facts = ledger({ unfinalized: [["once", at("25T00:00")]] });
  expect(describe(facts)).toEqual({
    level: "complete",
    lead: "Data complete through Fri 27 Nov 15:30 UTC",
    rest: undefined,
  });
  expect(buildStatusLine(facts, 0, nowMs).waiting).toBe(2);
});

test("data is complete up to the earliest coverage gap or stuck window of any source, with the reason", () => {
  const facts = ledger(
    { gaps: [at("27T10:00")] },
    { unfinalized: [["signs", at("26T14:00"), "total, next"]] },
  );
  expect(describe(facts)).toEqual({
    level: "incomplete",
    lead: "Data is incomplete since Thu 26 Nov 14:00.",
    rest: "The service offered a next page that was not requested. Counts after that are too low.",
  });
  expect(buildStatusLine(facts, 0, nowMs).throughMs).toBe(Date.parse(at("26T14:00")));
});

test("data is stale after twice the interval of runs, with the failure", () => {
  const facts = ledger({ readUpTo: at("25T06:00"), lastError: "the service answered 401\nmore" });
  expect(describe(facts)).toEqual({
    level: "stale",
    lead: "Last data Wed 25 Nov 06:00, 58 h ago.",
    rest: "The scheduled run failed: the service answered 401.",
  });
});

test("imported files reach to their last event, and an empty log prints what to do", () => {
  expect(describe(ledger({ readUpTo: null }))).toMatchObject({
    level: "imported",
    lead: "Imported events up to Thu 26 Nov 23:59 UTC",
  });
  expect(describe(ledger({ readUpTo: null, events: 0 }))).toEqual({
    level: "empty",
    lead: "No events yet.",
    rest: "Run auditlake ingest, then reload.",
  });
});
