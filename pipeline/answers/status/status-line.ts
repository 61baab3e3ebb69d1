import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import type { Facts } from "../../base/sql/facts.ts";
import { queryRows, count } from "../../base/sql/typed-rows.ts";
import {
  type LedgerFacts,
  readLedger,
  type SourceFacts,
} from "../../core/completeness/ledger-facts.ts";

/** Whether the data is complete, in a line: the first thing on every page. */
export type StatusLine = {
  /** `stale`: nothing was read for twice the usual interval; `incomplete`: a gap, or a window that is stuck. */
  readonly level: "complete" | "incomplete" | "stale" | "imported" | "empty";
  /** End of what was read without a contradicting sign, with all before it; of files, the last event. */
  readonly throughMs: number | undefined;
  /** The same for what a second read confirmed. */
  readonly verifiedMs: number | undefined;
  /** Where data begins to be incomplete. */
  readonly incompleteFromMs: number | undefined;
  /** Why it is incomplete, or why the last run failed: a clause without a command. */
  readonly reason: string | undefined;
  readonly gaps: number;
  /** Windows that wait for their second read. */
  readonly waiting: number;
  readonly quarantined: number;
  readonly lateEvents: number;
  /** Event types that the reference does not have. */
  readonly unknownTypes: number;
};

export async function readStatusLine(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): Promise<StatusLine> {
  const ledger = await readLedger(connection, source, config, nowMs);
  const values = { source: source ?? null };
  const path = "queries/pages/frame.sql#unknown_events";
  const [unknown] = await queryRows(connection, path, { unknownTypes: count }, values);
  return buildStatusLine(ledger, unknown!.unknownTypes, nowMs);
}

/** Judges what the ledger knows. */
export function buildStatusLine(
  { sources, runs }: LedgerFacts,
  unknownTypes: number,
  nowMs: number,
): StatusLine {
  const ends = sources.map((facts) => judgeSource(facts));
  const isRead = sources.some(({ totals }) => totals["read_up_to"] !== null);
  const through = listMoments(ends.map(({ throughMs }) => throughMs));
  const broken = ends.filter(({ brokenFromMs }) => brokenFromMs !== undefined);
  const incompleteFromMs = least(listMoments(broken.map(({ brokenFromMs }) => brokenFromMs)));
  const readMs = least(listMoments(sources.map(({ totals }) => toMs(totals["read_up_to"]))));
  const failure = findFailure(sources);
  const isStale = isRead && readMs !== undefined && nowMs - readMs > 2 * findInterval(runs);
  return {
    level: chooseLevel(sources, isRead, isStale, incompleteFromMs !== undefined),
    throughMs: isRead ? least(through) : greatest(through),
    verifiedMs: least(listMoments(sources.map(({ totals }) => toMs(totals["final_up_to"])))),
    incompleteFromMs,
    reason: isStale
      ? failure
      : broken.find(({ brokenFromMs }) => brokenFromMs === incompleteFromMs)?.reason,
    gaps: sum(ends.map(({ gaps }) => gaps)),
    waiting: sum(ends.map(({ waiting }) => waiting)),
    quarantined: sum(sources.map(({ totals }) => Number(totals["last_quarantined"]))),
    lateEvents: sum(
      sources.flatMap(({ lateness }) => lateness.map((l) => Number(l["late_events"]))),
    ),
    unknownTypes,
  };
}

function chooseLevel(
  sources: readonly SourceFacts[],
  isRead: boolean,
  isStale: boolean,
  isIncomplete: boolean,
): StatusLine["level"] {
  if (sources.every(({ totals }) => Number(totals["events"]) === 0)) return "empty";
  if (isStale) return "stale";
  if (isIncomplete) return "incomplete";
  return isRead ? "complete" : "imported";
}

type Judged = {
  readonly throughMs: number | undefined;
  readonly brokenFromMs: number | undefined;
  readonly reason: string | undefined;
  readonly gaps: number;
  readonly waiting: number;
};

function judgeSource({ totals, gaps, unfinalized }: SourceFacts): Judged {
  const stuck = unfinalized.filter(({ reason }) => !isWaiting(reason));
  const faults = [
    ...gaps.map((gap) => ({
      ms: toMs(gap["gap_start"]),
      reason: "part of the log was not read",
    })),
    ...stuck.map((window) => ({ ms: toMs(window["first_start"]), reason: describeStuck(window) })),
  ].filter((fault): fault is { ms: number; reason: string } => fault.ms !== undefined);
  const [first] = faults.toSorted((a, b) => a.ms - b.ms);
  const readMs = toMs(totals["read_up_to"]) ?? toMs(totals["last_event"]);
  return {
    throughMs: first === undefined || readMs === undefined ? readMs : Math.min(readMs, first.ms),
    brokenFromMs: first?.ms,
    reason: first?.reason,
    gaps: gaps.length,
    waiting: sum(unfinalized.filter(({ reason }) => isWaiting(reason)).map(countWindows)),
  };
}

function isWaiting(reason: unknown): boolean {
  return reason === "once" || reason === "differs";
}

function countWindows(facts: Facts): number {
  return Number(facts["windows"]);
}

function describeStuck({ reason, signs }: Facts): string {
  const isNext = String(signs).split(", ").includes("next");
  if (isNext) return "the service offered a next page that was not requested";
  if (reason === "signs") return "an answer of the service shows that records are missing";
  if (reason === "no_evidence")
    return "nothing shows that the answers of the service were complete";
  return "the service no longer returns what it returned before";
}

// The error of the last scheduled run, without what it quotes.
function findFailure(sources: readonly SourceFacts[]): string | undefined {
  const errors = sources.map(({ totals }) => totals["last_error"]);
  const error = errors.find((each) => typeof each === "string");
  return error === undefined
    ? undefined
    : `the scheduled run failed: ${String(error).split("\n")[0]}`;
}

const hourMs = 3_600_000;

// The usual time between two scheduled runs; a day where it is not known.
function findInterval(runs: readonly Facts[]): number {
  const starts = runs
    .filter(({ command }) => command === "ingest")
    .map(({ started_at: at }) => Date.parse(String(at)))
    .toSorted((a, b) => a - b);
  const gaps = starts
    .slice(1)
    .map((ms, i) => ms - starts[i]!)
    .filter((ms) => ms >= hourMs);
  return gaps.length === 0 ? 24 * hourMs : gaps.toSorted((a, b) => a - b)[gaps.length >> 1]!;
}

function toMs(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function listMoments(moments: readonly (number | undefined)[]): number[] {
  return moments.filter((ms) => ms !== undefined);
}

function least(moments: readonly number[]): number | undefined {
  return moments.length === 0 ? undefined : Math.min(...moments);
}

function greatest(moments: readonly number[]): number | undefined {
  return moments.length === 0 ? undefined : Math.max(...moments);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
