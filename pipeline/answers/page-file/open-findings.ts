import type { DuckDBConnection } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import { count, oneOf, queryRows, text } from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";

const openShape = {
  findingId: text,
  detection: text,
  severity: oneOf(severities),
  title: text,
  message: text,
  subjectKind: text,
  subject: text,
  state: oneOf(["open", "acknowledged"]),
  attack: text,
  measures: text,
  source: text,
  firstAt: text,
  lastAt: text,
  raisedAt: text,
};

/** An open finding as lists show it; times to the second in UTC. */
export type OpenFinding = Awaited<ReturnType<typeof readOpenFindings>>[number];

/** The open findings of one source, or of all: the most severe first, new before acknowledged, the newest first. */
export async function readOpenFindings(connection: DuckDBConnection, source: string | undefined) {
  const values = { source: source ?? null };
  return await queryRows(connection, "queries/pages/findings.sql#open", openShape, values);
}

const checkedShape = { detection: text, outcome: text, findings: count, suppressed: count };

/** The detections that were evaluated, by name. */
export async function readChecked(
  connection: DuckDBConnection,
  source: string | undefined,
  sinceMs: number,
) {
  const values = { source: source ?? null, since: toTimestamp(sinceMs) };
  return await queryRows(connection, "queries/pages/findings.sql#checked", checkedShape, values);
}
