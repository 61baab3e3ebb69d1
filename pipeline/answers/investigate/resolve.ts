import type { DuckDBConnection } from "@duckdb/node-api";
import { interruptFrom } from "../../base/sql/transaction.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { jobBegan, namesOf, type Range } from "./subject-names.ts";
import { rangeOf, type RangeFlags } from "./range.ts";
import { type Subject, type SubjectKind, subjectOf } from "./subject.ts";

/** Who or what is looked into, and when. */
export type Resolved = { readonly subject: Subject; readonly range: Range };

/** A text that names somebody or something, and the range that was asked for. */
export type SubjectText = {
  readonly kind: SubjectKind;
  readonly text: string;
  readonly flags: RangeFlags;
};

/**
 * Finds whom the text names in the published data, and the range. That is the range of the flags or, without them, of a
 * job since it began. The signal interrupts it. Throws UsageError where nobody, or more than one, goes by it.
 */
export async function resolveSubject(
  { kind, text, flags }: SubjectText,
  { home, config, flags: { source } }: Settings,
  nowMs: number,
  signal: AbortSignal,
): Promise<Resolved> {
  const range = rangeOf(flags, nowMs);
  await using database = await openPublished(home.published, readLimits(config), source);
  const { connection } = database;
  const stopListening = interruptFrom(connection, signal);
  try {
    return await resolveOn(connection, kind, text, flags, range);
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
): Promise<Resolved> {
  const isOpen = (flags.at ?? flags.since ?? flags.during) === undefined;
  const began = kind === "job" ? await jobBegan(connection, text.trim()) : undefined;
  const known = began !== undefined && isOpen ? { ...range, sinceMs: began } : range;
  if (began !== undefined) return { subject: { value: text.trim(), others: [] }, range: known };
  const names = await namesOf(connection, kind, range);
  return { subject: subjectOf(kind, text, names), range };
}

/** What the report of the kind is asked with. */
export function timelineParams(
  kind: SubjectKind,
  { subject, range }: Resolved,
): readonly (readonly [string, string])[] {
  return [
    ["since", new Date(range.sinceMs).toISOString()],
    ["until", new Date(range.untilMs).toISOString()],
    [kind, subject.value],
  ];
}
