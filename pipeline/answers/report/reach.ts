import { type Notice, warning } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatDay, formatIso } from "../../base/time/text.ts";
import type { Reach } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import { readUnreadTimes, listUnreadWithin } from "./unread.ts";
import { escapeControls } from "../../base/printable.ts";
import { runFile } from "../../base/sql/statements.ts";
import { nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import type { Report } from "../../base/report/find.ts";
import { formatRange } from "../../base/report/params.ts";
import type { About } from "./result.ts";
import { readMoment } from "../../base/report/values.ts";

/** Reads how far the published data reaches, for one source or all. */
export async function readReach(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach> {
  return { ...(await readUnread(connection, source)), isEmpty: await isEmpty(connection) };
}

async function readUnread(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Omit<Reach, "isEmpty">> {
  try {
    return await readUnreadTimes(connection, source);
  } catch {
    // A footnote: a file without the ledger is still worth a report.
    return { upToMs: null, unread: [] };
  }
}

/** True where no event was ever loaded, as after a first run that failed: then no rows mean nothing. */
export async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  try {
    const reader = await connection.runAndReadAll(
      "select count(*) from (select 1 from event_rows limit 1)",
    );
    return Number(reader.getRows()[0]?.[0]) === 0;
  } catch {
    return false;
  }
}

/** The warning of an answer from a database that holds nothing. */
export const emptyNotice = (): Notice => warning("database_empty", {}, ["status"]);

/** How far the data goes, and what of the ranges and moments of some questions is not known; a line each. */
export function listReachLines(
  reach: Reach | undefined,
  ranges: readonly Question["values"][],
): string[] {
  if (reach === undefined) return [];
  const upTo = reach.upToMs === null ? [] : [`data up to ${formatIso(reach.upToMs)}`];
  const notes = [...listUnreadWithin(reach, ranges), ...(reach.unknownRights ?? [])];
  return [...upTo, ...notes.map((line) => `note: ${line}`)];
}

/** What a question at a moment is about; each null or left out where it is not. */
type UnreadQuestion = {
  readonly source: string | null;
  readonly policy_id?: string | null;
  readonly other_id?: string | null;
  readonly user_id?: string | null;
  readonly on: string;
};

/**
 * Lists policies of a question whose rights neither log nor snapshots show, as a line. Without it, the answer would
 * read as if they had no rights. Creates the table `unknown_policies` for queries/access.
 */
export async function listUnknownLines(
  connection: DuckDBConnection,
  { source, policy_id = null, other_id = null, user_id = null, on }: UnreadQuestion,
): Promise<string[]> {
  await runFile(connection, "queries/access/unknown_policies.sql", { on });
  const about = { source, policy_id, other_id, user_id, on };
  const shape = { policyId: text, policyName: nullable(text) };
  const rows = await queryRows(connection, "queries/access/affected_policies.sql", shape, about);
  const [first] = rows;
  if (first === undefined) return [];
  const { policyId: id, policyName: name } = first;
  const named = escapeControls(name === null ? id : `${name} (${id})`);
  const what = rows.length === 1 ? `policy ${named}` : `${rows.length} policies`;
  const such = rows.length === 1 ? "" : `, such as ${named}`;
  return [
    `permissions of ${what}${such} are in neither log nor snapshots; policy snapshot reads them`,
  ];
}

const dayMs = 86_400_000;

/**
 * What an answer is about, for the formats that show it: its chart leaves out days that are known in part. Files are
 * described without `nowMs`, so that the same facts give the same bytes at any time.
 */
export function describeAnswer(
  { title, grain, chart }: Report,
  values: Question["values"],
  reach: Reach | undefined,
  nowMs?: number,
): About {
  const isPartDay = newPartDayTest(values, reach, nowMs);
  const facts = [grain, ...formatRange(values)];
  return { title, chart, facts, isPartDay, ...findLastDay(values, reach, nowMs) };
}

// Days without rows up to here had nothing to count.
function findLastDay(
  { until }: Question["values"],
  reach: Reach | undefined,
  nowMs: number | undefined,
): Pick<About, "lastDay"> {
  const ends = [until && readMoment(until), nowMs, reach?.upToMs].filter(
    (end) => typeof end === "number",
  );
  return ends.length === 0 ? {} : { lastDay: formatDay(Math.min(...ends) - 1) };
}

/**
 * Whether a day of a result, written as `2026-01-31`, is known in part only: the range, the log or a stretch that was not
 * read begins or ends within it, or it still runs. Drawn, it would look like a drop.
 */
function newPartDayTest(
  { since, until }: Question["values"],
  reach: Reach | undefined,
  nowMs: number | undefined,
): (x: string) => boolean {
  const edges = [
    since && readMoment(since),
    until && readMoment(until),
    nowMs,
    reach?.upToMs,
    ...(reach?.unread ?? []).flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
  ].filter((edge) => typeof edge === "number");
  const days = new Set(edges.filter((ms) => ms % dayMs !== 0).map((ms) => Math.floor(ms / dayMs)));
  return (x) => /^\d{4}-\d{2}-\d{2}$/.test(x) && days.has(Date.parse(x) / dayMs);
}
