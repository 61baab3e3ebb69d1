import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { Activation } from "../../../schemas/activation.ts";
import { UsageError } from "../../base/errors.ts";
import { queryFailure } from "../../base/sql/question.ts";
import { bind, type Statement } from "../../base/sql/bind.ts";
import { interruptFrom } from "../../base/sql/transaction.ts";
import type { DeltaKeys, Memory } from "../../core/store/activation/memory.ts";
import {
  columnsOf,
  compareRuns,
  idsOf,
  takeRows,
  type Compared,
  type Ids,
  type TriedAgain,
} from "../../core/store/activation/compare.ts";
import { deltaKeysOf } from "./delta-source.ts";

/** The rows of this run compared with those that the destination has. */
export type Comparison = Compared & {
  readonly keys: DeltaKeys;
  readonly idType: string;
  /** Why nothing was compared; undefined where it was. */
  readonly allNewBecause: string | undefined;
};

/** What a run brings, and what the destination has and tries again. */
export type ThisRun = {
  readonly activation: Activation;
  readonly statement: Statement;
  readonly before: Memory;
  readonly again: TriedAgain;
};

const maxSample = 40;

/**
 * Takes the rows of the source and compares them with those remembered (seed 002, States and transitions); to be
 * called inside a transaction. Throws UsageError where a key column is missing, or where ids are doubled or
 * null, and AuditlakeError where the query fails.
 */
export async function compareWithLast(
  connection: DuckDBConnection,
  { activation, statement, before, again }: ThisRun,
  signal: AbortSignal,
): Promise<Comparison> {
  const keys = await deltaKeysOf(connection, activation, statement);
  const allNewBecause = whyAllNew(before, keys);
  const stopListening = interruptFrom(connection, signal);
  try {
    const bindTo = (prepared: DuckDBPreparedStatement): void => bind(prepared, statement.values);
    // The message of the database may quote a record; `queryFailure` takes that out.
    await takeRows(connection, statement.sql, bindTo, keys).catch((error: unknown) => {
      throw queryFailure(error);
    });
    refuseBadIds(await idsOf(connection), keys.idKey);
    const compared = await compareRuns(connection, allNewBecause === undefined, again);
    const columns = await columnsOf(connection, "incoming");
    const idType = columns.find(({ name }) => name === keys.idKey)?.type ?? "";
    return { ...compared, keys, idType, allNewBecause };
  } finally {
    stopListening();
  }
}

// Domain facts: without a history that compares the same columns, everything is new.
function whyAllNew({ keys, hasRows }: Memory, now: DeltaKeys): string | undefined {
  if (keys === undefined || !hasRows) return "first run";
  if (keys.idKey !== now.idKey) return "id_key changed";
  return isDeepStrictEqual(keys.deltaKeys, now.deltaKeys) ? undefined : "delta_keys changed";
}

// Seed 002, C, rule 3.
function refuseBadIds({ withoutId, nullRows, doubled, samples }: Ids, idKey: string): void {
  const unchanged = "nothing was delivered and the state is as it was";
  if (withoutId > 0)
    throw new UsageError(
      `id_key ${idKey} is null in ${withoutId} ${withoutId === 1 ? "row" : "rows"}, such as row ${nullRows.join(" and row ")}; expected a value in each; ${unchanged}`,
    );
  if (doubled === 0) return;
  const shown = samples.map((id) => JSON.stringify(id.slice(0, maxSample))).join(" and ");
  throw new UsageError(
    `id_key ${idKey} is not unique: ${doubled} ${doubled === 1 ? "value comes" : "values come"} more than once, such as ${shown}; name a column with one value for each row, or make one in a statement of your own (sql_file); ${unchanged}`,
  );
}
