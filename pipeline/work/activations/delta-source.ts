import { resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Activation } from "../../../schemas/activation.ts";
import { UsageError } from "../../base/errors.ts";
import { namedReports, type Report } from "../../answers/report/find.ts";
import { statementReport } from "../../answers/report/statement.ts";
import { questionOf, refuseUnknown } from "../../answers/report/params.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Statement } from "../../base/sql/bind.ts";
import type { Question } from "../../base/sql/question.ts";
import { quotedName } from "../../../schemas/quoted.ts";
import { knownTables, type DeltaKeys } from "../../core/store/activation/memory.ts";
import { deltaColumns } from "../../core/store/activation/compare.ts";

/** What is activated, with a title for people; without a report it is all rows of a table. */
export type ActivationSource = {
  readonly question: Question;
  readonly report: Report | undefined;
  readonly title: string;
};

/**
 * What is activated: the rows of a report, of a file with a statement, or of a table. A relative path starts at
 * `folder`. Throws UsageError.
 */
export function sourceOf(
  activation: Activation,
  reports: readonly Report[],
  folder: string,
  nowMs: number,
): ActivationSource {
  const { report, sql_file: file } = activation;
  if (report !== undefined)
    return reportSource(activation, namedReports(reports, [report])[0]!, nowMs);
  if (file !== undefined)
    return reportSource(activation, statementReport(resolve(folder, file)), nowMs);
  const { activation_actions_db: schema, activation_actions_table: table } = activation;
  if (Object.keys(activation.params).length > 0)
    throw new UsageError("params belong to a report; a table takes none");
  const sql = `select * from ${quotedName(schema)}.${quotedName(table!)}`;
  return { question: { sql, values: {} }, report: undefined, title: table! };
}

function reportSource(activation: Activation, report: Report, nowMs: number): ActivationSource {
  const given = new Map(Object.entries(activation.params));
  refuseUnknown(given, [report]);
  const { sql, values } = questionOf(report, given, nowMs);
  return {
    question: { sql: sql.trim().replace(/;\s*$/, ""), values },
    report,
    title: report.title,
  };
}

/**
 * The columns the rows are compared by, all of them there. Throws UsageError naming those there are, or the tables
 * (seed 002, C, rules 3 and 8).
 */
export async function deltaKeysOf(
  connection: DuckDBConnection,
  activation: Activation,
  { sql, values }: Statement,
): Promise<DeltaKeys> {
  await refuseMissingTable(connection, activation);
  const { id_key: idKey, delta_keys: deltaKeys } = activation;
  const nothing = { sql: `select * from (${sql}\n) limit 0`, values };
  const { columns, batches } = await runStatement(connection, nothing);
  for await (const _batch of batches) continue;
  const names = columns.map(({ name }) => name);
  // The columns are sorted, so that another order in the configuration changes nothing.
  const keys = { idKey, deltaKeys: deltaKeys.length === 0 ? [idKey] : deltaKeys.toSorted() };
  const missing = [idKey, ...keys.deltaKeys].find((key) => !names.includes(key));
  if (missing !== undefined)
    throw new UsageError(
      `${missing === idKey ? "id_key" : "delta_keys"}: there is no column ${missing}; there are ${listed(names, missing)}`,
    );
  const taken = names.find((name) =>
    (deltaColumns as readonly string[]).includes(name.toLowerCase()),
  );
  if (taken !== undefined)
    throw new UsageError(
      `a column is called ${taken}, a name that the comparison needs; rename it`,
    );
  return keys;
}

async function refuseMissingTable(
  connection: DuckDBConnection,
  { activation_actions_db: schema, activation_actions_table: table }: Activation,
): Promise<void> {
  if (table === undefined) return;
  const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const known = await knownTables(connection);
  const inSchema = known.filter((each) => isSame(each.schema, schema)).map((each) => each.table);
  if (inSchema.some((each) => isSame(each, table))) return;
  const schemas = [...new Set(known.map((each) => each.schema))];
  throw new UsageError(
    inSchema.length === 0
      ? `activation_actions_db: there is no database ${schema}; known: ${listed(schemas, schema)}`
      : `activation_actions_table: there is no table ${table} in ${schema}; known: ${listed(inSchema, table)}`,
  );
}

const shownNames = 20;

// A table has dozens of columns, so those nearest to the wrong name come first.
function listed(names: readonly string[], wanted: string): string {
  const part = wanted.toLowerCase().slice(0, 3);
  const isLike = (name: string): boolean => name.toLowerCase().includes(part);
  const sorted = [...names.filter(isLike), ...names.filter((name) => !isLike(name))];
  const left = names.length - shownNames;
  return sorted.slice(0, shownNames).join(", ") + (left > 0 ? ` and ${left} more` : "");
}
