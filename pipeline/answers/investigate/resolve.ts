import type { DuckDBConnection } from "@duckdb/node-api";
import { interruptFrom } from "../../base/sql/transaction.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import {
  findResource,
  findJobStart,
  listNames,
  type Range,
  type Subject,
  type SubjectKind,
  findSubject,
} from "./subject.ts";
import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { parseMoment, parsePeriod } from "../../base/time/times.ts";

export type ResolvedSubject = { readonly subject: Subject; readonly range: Range };

/** A text that names a subject, and the requested range. */
export type SubjectText = {
  readonly kind: SubjectKind;
  readonly text: string;
  readonly flags: RangeFlags;
};

/**
 * Finds the subject of the text in the published data, and the range: that of the flags or, without them, of a job
 * since it started. The signal interrupts it. Throws UsageError if none or several match.
 */
export async function resolveSubject(
  { kind, text, flags }: SubjectText,
  settings: Settings,
  nowMs: number,
  signal: AbortSignal,
): Promise<ResolvedSubject> {
  const range = parseRange(flags, nowMs);
  return withPublished(settings, signal, (connection) =>
    resolveOn(connection, kind, text, flags, range),
  );
}

/** Works on the published data, or the source in it that was chosen; the signal interrupts it. */
export async function withPublished<T>(
  { home, config, flags: { source } }: Settings,
  signal: AbortSignal,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  await using database = await openPublished(home.published, readLimits(config), source);
  const stopListening = interruptFrom(database.connection, signal);
  try {
    return await work(database.connection);
  } finally {
    stopListening();
  }
}

/** The same on a connection that is open already. */
export async function resolveOn(
  connection: DuckDBConnection,
  kind: SubjectKind,
  text: string,
  flags: RangeFlags,
  range: Range,
): Promise<ResolvedSubject> {
  const isOpen = (flags.at ?? flags.since ?? flags.during) === undefined;
  const began = kind === "job" ? await findJobStart(connection, text.trim()) : undefined;
  const known = began !== undefined && isOpen ? { ...range, sinceMs: began } : range;
  if (began !== undefined) return { subject: { value: text.trim(), others: [] }, range: known };
  const exact = kind === "resource" ? await findResource(connection, text, range) : [];
  const names = exact.length > 0 ? exact : await listNames(connection, kind, range);
  return { subject: findSubject(kind, text, names), range };
}

export function buildTimelineParams(
  kind: SubjectKind,
  { subject, range }: ResolvedSubject,
): readonly (readonly [string, string])[] {
  return [
    ["since", new Date(range.sinceMs).toISOString()],
    ["until", new Date(range.untilMs).toISOString()],
    [kind, subject.value],
  ];
}

/** Flags of the range: a moment and the time around it, or a range. */
export type RangeFlags = {
  readonly at?: string;
  readonly window?: string;
  readonly since?: string;
  readonly until?: string;
  readonly during?: string;
};

/**
 * Computes the half-open range of the flags, milliseconds since the epoch. By default it is two hours around a moment,
 * or the last seven days. Throws UsageError for conflicting flags and for an empty range.
 */
export function parseRange(
  flags: RangeFlags,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  const { at, window, since, until, during } = flags;
  if (during !== undefined) return parseDuring(during, flags, nowMs);
  if (at === undefined) {
    if (window !== undefined) throw new UsageError("--window is the time around --at; add --at");
    return parseBetween(since ?? "7d", until ?? "now", nowMs);
  }
  if (since !== undefined || until !== undefined)
    throw new UsageError("found --at beside --since or --until; expected one or the other");
  const windowMs = parseDuration(window ?? "2h");
  if (windowMs === undefined || windowMs === 0)
    throw new UsageError(
      `--window ${JSON.stringify(window)}: expected a duration such as 2h or 30m`,
    );
  const atMs = parseMoment(at, nowMs);
  return { sinceMs: atMs - windowMs / 2, untilMs: atMs + windowMs / 2 };
}

function parseDuring(
  during: string,
  { at, window, since, until }: RangeFlags,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  if ((at ?? window ?? since ?? until) !== undefined)
    throw new UsageError("found --during beside another range; expected one of them");
  const { startMs, endMs } = parsePeriod(during, nowMs);
  return { sinceMs: startMs, untilMs: endMs };
}

function parseBetween(
  since: string,
  until: string,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  const [sinceMs, untilMs] = [parseMoment(since, nowMs), parseMoment(until, nowMs)];
  if (sinceMs < untilMs) return { sinceMs, untilMs };
  const [from, to] = [sinceMs, untilMs].map((ms) => new Date(ms).toISOString());
  throw new UsageError(
    `since ${from} is not before until ${to}; expected the earlier one as --since`,
  );
}
