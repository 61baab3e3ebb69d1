import { configSchema } from "../../../schemas/config.ts";
import { resolveHome } from "../../base/home/layout.ts";
import type { World } from "../../base/world.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import type { Severity } from "../../base/report/detection.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import type { Question } from "../../base/sql/question.ts";
import { runStatement } from "../../base/sql/select.ts";
import { readSql } from "../../base/sql/statements.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { parseMomentMs } from "../../base/time/times.ts";

/** Which findings; all of them must match. */
export type FindingFilter = {
  readonly state?: string;
  /** At least this one. */
  readonly severity?: Severity;
  readonly since?: string;
  readonly subject?: string;
  readonly detection?: string;
};

/** The states that a list may ask for; a suppressed finding is open otherwise. */
export const listedStates = [
  "open",
  "acknowledged",
  "closed",
  "suppressed",
  "withdrawn",
  "all",
] as const;

/** Builds the question of a list of findings, the most severe first. Throws UsageError for a bad time. */
export function buildListQuestion(
  { state = "open", severity = "info", since, subject, detection }: FindingFilter,
  source: string | undefined,
  nowMs: number,
): Question {
  const asText = (value: string | undefined) => ({ type: "text" as const, value: value ?? null });
  const sinceTime =
    since === undefined ? undefined : toTimestamp(parseMomentMs(since, "UTC", nowMs));
  return {
    sql: readSql("queries/findings/list.sql#rows").replace(/;\s*$/, ""),
    values: {
      state: asText(state === "all" ? undefined : state),
      subject: asText(subject),
      detection: asText(detection),
      since: asText(sinceTime),
      source: asText(source),
      least: { type: "integer", value: String(severities.indexOf(severity)) },
    },
  };
}

/** A finding in few words. */
export type FindingLine = {
  readonly id: string;
  readonly severity: string;
  readonly message: string;
  readonly subject: string;
  readonly firstAt: string;
  readonly lastAt: string;
};

/** Open findings that were read: the first ones of a list, and how many it has. */
export type OpenFindings = { readonly first: readonly FindingLine[]; readonly total: number };

const linesRead = 7;

/** Reads the most severe open findings with a hit at or after a time, and counts all of them. */
export async function readOpenFindings(
  connection: DuckDBConnection,
  since: string | undefined,
  source: string | undefined,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<OpenFindings> {
  const question = buildListQuestion(since === undefined ? {} : { since }, source, nowMs);
  const rows = await runStatement(connection, bindQuestion(question), signal);
  const first: FindingLine[] = [];
  let total = 0;
  for await (const batch of rows.batches)
    for (const row of batch) {
      total += 1;
      if (total <= linesRead) first.push(readLine(rows, row));
    }
  return { first, total };
}

function readLine({ columns }: Rows, row: Row): FindingLine {
  const read = (wanted: string): string =>
    String(row[columns.findIndex(({ name }) => name === wanted)]);
  return {
    id: read("finding_id"),
    severity: read("severity"),
    message: read("message"),
    subject: read("subject"),
    firstAt: read("first_at"),
    lastAt: read("last_at"),
  };
}

/** The most severe open finding of a home; undefined if no finding is open. */
export async function readFirstFinding(
  home: string,
  world: World,
): Promise<FindingLine | undefined> {
  const limits = readLimits(configSchema.parse({}));
  await using database = await openPublished(resolveHome(home).published, limits);
  const about = { nowMs: world.now(), signal: world.signal };
  const { first } = await readOpenFindings(database.connection, undefined, undefined, about);
  return first[0];
}
