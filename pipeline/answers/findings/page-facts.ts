import type { DuckDBConnection } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import type { Rows } from "../../base/rows/row.ts";
import { runStatement } from "../../base/sql/select.ts";
import { readSql } from "../../base/sql/statements.ts";
import {
  count,
  nullable,
  oneOf,
  queryRows,
  text,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";
import type { Interval } from "../../base/time/periods.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { shownStates } from "./queue.ts";

const file = "queries/pages/finding.sql";

/** Reads at most so many events of a finding as a table: the largest first, then the newest. */
export async function readEvidence(
  connection: DuckDBConnection,
  id: string,
  most: number,
  signal: AbortSignal,
): Promise<Rows> {
  const question = {
    sql: readSql(`${file}#evidence`).replace(/;\s*$/, ""),
    values: {
      id: { type: "text", value: id },
      most: { type: "integer", value: String(most) },
    },
  } as const;
  return await runStatement(connection, bindQuestion(question), signal);
}

const addressShape = { ipAddress: text, evidence: count, events: count, people: count };
const relatedShape = {
  findingId: text,
  severity: oneOf(severities),
  message: text,
  state: oneOf(shownStates),
  lastAt: text,
};
const factsShape = { fired: count, risk: nullable(count), reasons: nullable(text) };

export type RelatedFinding = TypedRow<typeof relatedShape>;

/** What a page shows beside a finding: how often its detection fired, its subject's risk, addresses and other findings. */
export async function readPageFacts(connection: DuckDBConnection, id: string) {
  const [facts] = await queryRows(connection, `${file}#facts`, factsShape, { id });
  return {
    fired: facts?.fired ?? 0,
    risk: facts?.risk ?? null,
    reasons: facts?.reasons ?? null,
    addresses: await queryRows(connection, `${file}#addresses`, addressShape, { id }),
    related: await queryRows(connection, `${file}#related`, relatedShape, { id }),
  };
}

const hiddenShape = {
  findingId: text,
  severity: oneOf(severities),
  message: text,
  lastAt: text,
};

export async function readWouldHide(
  connection: DuckDBConnection,
  detection: string,
  conditions: Readonly<Record<string, string>>,
  { startMs, endMs }: Interval,
): Promise<TypedRow<typeof hiddenShape>[]> {
  return queryRows(connection, `${file}#would_hide`, hiddenShape, {
    detection,
    conditions: JSON.stringify(conditions),
    since: toTimestamp(startMs),
    until: toTimestamp(endMs),
  });
}
