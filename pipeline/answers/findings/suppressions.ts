import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCommand } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Question } from "../../base/sql/question.ts";
import { readSql } from "../../base/sql/statements.ts";
import {
  count,
  nullable,
  oneOf,
  queryRows,
  text,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";

const path = "queries/findings/suppressions.sql#all";

const shape = {
  suppressionId: text,
  state: oneOf(["active", "ending", "expired", "lifted"]),
  detection: text,
  conditions: text,
  suppressedUntil: text,
  findings: count,
  decidedBy: text,
  decidedAt: text,
  reason: nullable(text),
  liftedBy: nullable(text),
  liftedAt: nullable(text),
  liftedReason: nullable(text),
};

/** A suppression with its state; times to the second in UTC. */
export type Suppression = TypedRow<typeof shape>;

export function buildSuppressionsQuestion(nowMs: number): Question {
  return {
    sql: readSql(path).replace(/;\s*$/, ""),
    values: { now: { type: "text", value: toTimestamp(nowMs) } },
  };
}

/** Reads all suppressions, those in force first. */
export async function readSuppressions(
  connection: DuckDBConnection,
  nowMs: number,
): Promise<Suppression[]> {
  return queryRows(connection, path, shape, { now: toTimestamp(nowMs) });
}

/** Finds an active suppression. Throws UsageError for an unknown id and for a lifted suppression. */
export async function findLiftable(
  connection: DuckDBConnection,
  id: string,
  nowMs: number,
): Promise<Suppression> {
  const suppressions = await readSuppressions(connection, nowMs);
  const found = suppressions.find(({ suppressionId }) => suppressionId === id);
  if (found === undefined)
    throw new UsageError(
      `no suppression has the id ${JSON.stringify(id)}; ${formatCommand("findings", "suppressions")} lists all`,
    );
  if (found.liftedBy !== null)
    throw new UsageError(`${found.liftedBy} lifted the suppression ${id} at ${found.liftedAt} UTC`);
  return found;
}

/** The same over the published file. */
export async function findSuppression(
  id: string,
  { home, config }: Settings,
  nowMs: number,
): Promise<Suppression> {
  await using database = await openPublished(home.published, readLimits(config));
  return await findLiftable(database.connection, id, nowMs);
}
