import { BIGINT, VARCHAR } from "@duckdb/node-api";
import pLimit from "p-limit";
import { readAsset } from "../../base/home/assets.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { checkRange } from "../../base/report/params.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Statement } from "../../base/sql/bind.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import type { ParamValue, Question } from "../../base/sql/question.ts";
import { parseMoment } from "../../base/time/times.ts";
import { ask } from "./ask.ts";
import type { Site } from "./site.ts";
import { findClosestNames } from "../../base/closest-names.ts";
import { quoteStart } from "../../base/printable.ts";

/** What a search may name; an empty text asks for nothing of the kind. */
export type Query = Readonly<Record<string, string>>;

/** How far a search has come: it goes back in time. */
export type SearchProgress = {
  readonly columns: Rows["columns"];
  /** What was found so far, the newest first. */
  readonly rows: readonly Row[];
  /** All from here on has been looked through, `2026-01-31T00:00:00.000Z`. */
  readonly reached: string;
  /** Whether there is no more to look through, or enough was found. */
  readonly isEnd: boolean;
};

// The first interval is what is mostly asked for; later ones grow while they are quick.
const firstIntervalMs = 7 * 86_400_000;
const quickMs = 250;

// Long searches leave places of the pool to who asks for little.
const longOnes = pLimit(2);

/**
 * Looks for events from the newest back, an interval of time after the other, until as many are found or the range is
 * over. Other questions are let in between, and the page shows how far it has come. Throws UsageError for a bad time,
 * range or outcome, AuditlakeError where it takes longer than a question may.
 */
export async function* searchEvents(
  site: Site,
  asked: Query,
  most: number,
  gone: AbortSignal,
): AsyncGenerator<SearchProgress> {
  const { now } = site.world;
  const begunMs = now();
  const fault = checkRange(parseRange(asked, begunMs));
  if (fault !== undefined) throw new UsageError(fault);
  const [sinceMs, untilMs] = [parseMoment(asked["since"]!, begunMs), findEnd(asked, begunMs)];
  const wanted = { ...asked, ...parseOutcome(asked) };
  site.asked.add("events", new URLSearchParams(asked).toString());
  const rows: Row[] = [];
  let intervalMs = firstIntervalMs;
  for (let endMs = untilMs; ;) {
    const startMs = Math.max(sinceMs, endMs - intervalMs);
    const statement = buildStatement(wanted, [startMs, endMs], most - rows.length, begunMs);
    const lookUp = (): Promise<FoundRows> => runSearch(site, statement, gone);
    const found = await (endMs === untilMs ? lookUp() : longOnes(lookUp));
    rows.push(...found.rows);
    const isEnd = startMs <= sinceMs || rows.length >= most;
    const reached = new Date(startMs).toISOString();
    yield { columns: found.columns, rows: [...rows], reached, isEnd };
    if (isEnd) return;
    refuseLate(site, now() - begunMs);
    endMs = startMs;
    intervalMs *= found.tookMs < quickMs ? 2 : 1;
  }
}

/** The range that a search names, as that of a report. Throws UsageError for a bad time. */
export function parseRange({ since, until }: Query, nowMs: number): Question["values"] {
  const toMoment = (text: string): ParamValue => ({
    type: "timestamp",
    value: parseMoment(text, nowMs),
  });
  return { since: toMoment(since!), until: toMoment(until!) };
}

// An event of the same moment as the place may still be below it.
function findEnd({ until, below_time: place }: Query, nowMs: number): number {
  const placeMs = place === undefined ? Infinity : parseMoment(place, nowMs) + 1;
  return Math.min(parseMoment(until!, nowMs), placeMs);
}

const outcomes = ["succeeded", "denied", "failed", "unknown"];

// Another word would find nothing, and look like an answer.
function parseOutcome({ outcome }: Query): Query {
  if (outcome === undefined) return {};
  const word = outcome.trim().toLowerCase();
  if (outcomes.includes(word)) return { outcome: word };
  throw new UsageError(`outcome ${JSON.stringify(outcome)}: expected ${outcomes.join(", ")}`);
}

function refuseLate({ timeoutMs }: Site, tookMs: number): void {
  if (tookMs <= timeoutMs) return;
  throw new AuditlakeError(`stopped after ${timeoutMs / 1000} s; there may be more`);
}

type FoundRows = { columns: Rows["columns"]; rows: Row[]; tookMs: number };

/** All rows of a statement, and its time alone, without that of waiting for its turn. */
export function runSearch(site: Site, statement: Statement, gone: AbortSignal): Promise<FoundRows> {
  return ask(site, gone, async (connection, signal) => {
    const startMs = site.world.now();
    const { columns, batches } = await runStatement(connection, statement, signal);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    return { columns, rows, tookMs: site.world.now() - startMs };
  });
}

const names = ["person", "address", "event", "object", "outcome", "text", "below_key"];

function buildStatement(
  asked: Query,
  [startMs, endMs]: readonly [number, number],
  most: number,
  nowMs: number,
): Statement {
  const place = asked["below_time"];
  const toMoment = (ms: number): string => new Date(ms).toISOString();
  const texts = [
    ...names.map((name) => [name, asked[name] ?? null] as const),
    ["since", toMoment(startMs)] as const,
    ["until", toMoment(endMs)] as const,
    ["below_time", place === undefined ? null : placeText(place, nowMs)] as const,
  ];
  const values = texts.map(([name, value]) => [name, { type: VARCHAR, value }] as const);
  return {
    sql: readAsset("queries/serve/events.sql"),
    values: { ...Object.fromEntries(values), most: { type: BIGINT, value: BigInt(most) } },
  };
}

// A place is the time of an event, which may have microseconds; truncated, it would skip other events of its
// millisecond.
function placeText(place: string, nowMs: number): string {
  const finer = /\.\d{3}(\d{1,3})/.exec(place)?.[1] ?? "";
  return new Date(parseMoment(place, nowMs)).toISOString().replace("Z", `${finer}Z`);
}

/**
 * What is wrong with an address that names fields which its page does not have; undefined where there are none. An
 * answer to less than was asked looks like one to all of it.
 */
export function describeUnknownFields(query: Query, known: readonly string[]): string | undefined {
  const given = Object.keys(query).filter((name) => query[name] !== "");
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const [first] = unknown as [string];
  const [near] = findClosestNames(first, known);
  const advice =
    near === undefined ? `expected ${known.join(", ") || "none"}` : `did you mean ${near}?`;
  return `the address names ${unknown.map(quoteStart).join(", ")}, which this page does not have; ${advice}`;
}
