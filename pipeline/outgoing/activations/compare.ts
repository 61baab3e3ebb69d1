import { type Print } from "../../base/notice/printer.ts";
import { withhold, warning } from "../../base/notice/notice.ts";
import { isDeepStrictEqual } from "node:util";
import { resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Activation } from "../../../schemas/activation.ts";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { writeTable } from "../../answers/ask/confined-engine.ts";
import { selectReports, type Report } from "../../base/report/find.ts";
import { buildQuestion, refuseUnknown } from "../../base/report/params.ts";
import { newStatementReport } from "../../answers/report/statement.ts";
import { UsageError } from "../../base/errors.ts";
import { bindQuestion, type Statement } from "../../base/sql/bind.ts";
import { describeQueryFailure } from "../../base/sql/question.ts";
import { runStatement } from "../../base/sql/select.ts";
import { interruptFrom } from "../../base/sql/transaction.ts";
import {
  listColumns,
  compareRuns,
  deltaColumns,
  readIds,
  takeRows,
  type ComparedRows,
  type Ids,
} from "../../core/store/activation/compare.ts";
import {
  listKnownTables,
  getRowsFile,
  type DeltaKeys,
  type Memory,
} from "../../core/store/activation/memory.ts";
import { removeDatabase } from "../../core/store/wal.ts";
import type { ActivationSource, PreparedActivation } from "./started.ts";

/** The rows of this run, compared with the rows at the destination. */
export type Comparison = ComparedRows & {
  readonly keys: DeltaKeys;
  readonly idType: string;
  /** Why nothing was compared; undefined where it was. */
  readonly allNewBecause: string | undefined;
};

const maxSample = 40;

/**
 * Takes the rows of the source and compares them with those remembered (seed 002, States and transitions); to be
 * called inside a transaction. Throws UsageError where a key column is missing, or where ids are doubled or
 * null, and AuditlakeError where the query fails.
 */
export async function compareNow(started: PreparedActivation, before: Memory): Promise<Comparison> {
  const { connection, activation, order, world } = started;
  const statement = await buildStatement(started);
  const keys = await readDeltaKeys(connection, activation, statement);
  const allNewBecause = explainAllNew(before, keys);
  const stopListening = interruptFrom(connection, world.signal);
  try {
    // The message of the database may quote a record; `describeQueryFailure` takes that out.
    await takeRows(connection, statement, keys).catch((error: unknown) => {
      throw describeQueryFailure(error);
    });
    refuseBadIds(await readIds(connection), keys.idKey);
    const compared = await compareRuns(connection, allNewBecause === undefined, order);
    const columns = await listColumns(connection, "incoming");
    const idType = columns.find(({ name }) => name === keys.idKey)?.type ?? "";
    warnOfIdType(before, keys, idType, order.print);
    return { ...compared, keys, idType, allNewBecause };
  } finally {
    stopListening();
  }
}

// Ids are compared by their text, so that 1 and "1" are one id.
function warnOfIdType(
  { idType: previous, keys: known }: Memory,
  { idKey }: DeltaKeys,
  idType: string,
  print: Print,
): void {
  if (previous === undefined || previous === idType || known?.idKey !== idKey) return;
  print(warning("id_type_changed", { id_key: idKey, before: previous, now: idType }));
}

// Domain facts: without a history that compares the same columns, everything is new.
function explainAllNew({ keys, hasRows }: Memory, now: DeltaKeys): string | undefined {
  if (keys === undefined || !hasRows) return "first run";
  if (keys.idKey !== now.idKey) return "id_key changed";
  return isDeepStrictEqual(keys.deltaKeys, now.deltaKeys) ? undefined : "delta_keys changed";
}

// Seed 002, C, rule 3.
function refuseBadIds({ withoutId, nullSamples, doubled, samples }: Ids, idKey: string): void {
  const unchanged = "nothing was delivered and the state is unchanged";
  if (withoutId > 0)
    throw new UsageError(
      `id_key ${idKey} is null in ${withoutId} ${withoutId === 1 ? "row" : "rows"}, such as row ${nullSamples.join(" and row ")}; expected a value in each row; ${unchanged}`,
    );
  if (doubled === 0) return;
  const shown = samples.map((id) => JSON.stringify(id.slice(0, maxSample))).join(" and ");
  throw new UsageError(
    `id_key ${idKey} is not unique: ${doubled} ${doubled === 1 ? "value occurs" : "values occur"} more than once${withhold(`, such as ${shown}`)}; choose a column with unique values, or compute one in your own statement (sql_file); ${unchanged}`,
  );
}

/**
 * Finds the source of an activation: the rows of a report, of a file with a statement, or of a table. A relative path
 * starts at `folder`. Throws UsageError.
 */
export function findSource(
  activation: Activation,
  reports: readonly Report[],
  folder: string,
  nowMs: number,
): ActivationSource {
  const { report, sql_file: file } = activation;
  if (report !== undefined)
    return reportSource(activation, selectReports(reports, [report])[0]!, nowMs);
  if (file !== undefined)
    return reportSource(activation, newStatementReport(resolve(folder, file)), nowMs);
  const { activation_actions_db: schema, activation_actions_table: table } = activation;
  if (Object.keys(activation.params).length > 0)
    throw new UsageError("params are for reports; a table takes none");
  const sql = `select * from ${quoteName(schema)}.${quoteName(table!)}`;
  return { question: { sql, values: {} }, report: undefined, title: table! };
}

function reportSource(activation: Activation, report: Report, nowMs: number): ActivationSource {
  const given = new Map(Object.entries(activation.params));
  refuseUnknown(given, [report]);
  const { sql, values } = buildQuestion(report, given, nowMs);
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
async function readDeltaKeys(
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
      `${missing === idKey ? "id_key" : "delta_keys"}: column ${missing} does not exist; known: ${listNames(names, missing)}`,
    );
  const taken = names.find((name) =>
    (deltaColumns as readonly string[]).includes(name.toLowerCase()),
  );
  if (taken !== undefined)
    throw new UsageError(`the comparison reserves the column name ${taken}; rename the column`);
  return keys;
}

async function refuseMissingTable(
  connection: DuckDBConnection,
  { activation_actions_db: schema, activation_actions_table: table }: Activation,
): Promise<void> {
  if (table === undefined) return;
  const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const known = await listKnownTables(connection);
  const inSchema = known.filter((each) => isSame(each.schema, schema)).map((each) => each.table);
  if (inSchema.some((each) => isSame(each, table))) return;
  const schemas = [...new Set(known.map((each) => each.schema))];
  throw new UsageError(
    inSchema.length === 0
      ? `activation_actions_db: database ${schema} does not exist; known: ${listNames(schemas, schema)}`
      : `activation_actions_table: table ${table} does not exist in ${schema}; known: ${listNames(inSchema, table)}`,
  );
}

const shownNames = 20;

// A table has dozens of columns, so those nearest to the wrong name come first.
function listNames(names: readonly string[], wanted: string): string {
  const part = wanted.toLowerCase().slice(0, 3);
  const isLike = (name: string): boolean => name.toLowerCase().includes(part);
  const sorted = [...names.filter(isLike), ...names.filter((name) => !isLike(name))];
  const left = names.length - shownNames;
  return sorted.slice(0, shownNames).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/**
 * The statement that gives the rows to activate on the activation's own connection. A report of a user's own is run in
 * confinement first, and only its result can be read here. The statement must not reach the activation's own file.
 * Throws AuditlakeError where the report fails.
 */
async function buildStatement({
  name,
  connection,
  source: { question, report },
  settings,
  world,
}: PreparedActivation): Promise<Statement> {
  if (report === undefined || report.isBuiltIn) return bindQuestion(question);
  const path = getRowsFile(settings.home, name);
  removeDatabase(path);
  try {
    await writeTable(report, question, path, settings, world);
    await connection.run(`attach ${quoteText(path)} as given (read_only)`);
    return { sql: "select * from given.rows", values: {} };
  } finally {
    // The database keeps the attached file open, so it can go already: a killed run then leaves nothing behind.
    removeDatabase(path);
  }
}
