import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { deltaStatuses, type Activation, type DeltaStatus } from "../../../schemas/activation.ts";
import { AuditlakeError } from "../../errors.ts";
import { queryFailure } from "../../report/failure.ts";
import { bind } from "../../report/bind.ts";
import { interruptOn, type Statement } from "../../report/run.ts";
import {
  compareRuns,
  idsOf,
  takeRows,
  type DeltaCounts,
  type DeltaKeys,
  type Ids,
  type Memory,
} from "../../warehouse/activation.ts";
import { deltaKeysOf } from "./source.ts";

/** How the rows of this run stand to those of the last one. */
export type Comparison = {
  readonly keys: DeltaKeys;
  readonly rows: number;
  readonly counts: DeltaCounts;
  /** Why nothing was compared; undefined where it was. */
  readonly allNewBecause: string | undefined;
  /** Classes that hold rows but have no mapping: they go nowhere. */
  readonly unmapped: readonly DeltaStatus[];
};

const maxSample = 40;

/**
 * Takes the rows of the source and compares them with those remembered (seed 002, States and transitions); to be
 * called inside a transaction. Throws UsageError where a key column is missing, and AuditlakeError where ids are
 * doubled or null, or the query fails.
 */
export async function compareWithLast(
  connection: DuckDBConnection,
  activation: Activation,
  statement: Statement,
  before: Memory,
  signal: AbortSignal,
): Promise<Comparison> {
  const keys = await deltaKeysOf(connection, activation, statement);
  const allNewBecause = whyAllNew(before, keys);
  const stopListening = interruptOn(connection, signal);
  try {
    const isComparable = allNewBecause === undefined;
    const take = takeRows(
      connection,
      statement.sql,
      (prepared) => bind(prepared, statement.values),
      keys,
      isComparable,
    );
    // What the database says may quote a record.
    await take.catch((error: unknown) => {
      throw queryFailure(error);
    });
    const ids = await idsOf(connection);
    refuseBadIds(ids, keys.idKey);
    const counts = await compareRuns(connection);
    const mapped = activation.activation_mappings.map((each) => each.delta_status);
    const unmapped = deltaStatuses.filter((each) => counts[each] > 0 && !mapped.includes(each));
    return { keys, rows: ids.rows, counts, allNewBecause, unmapped };
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
    throw new AuditlakeError(
      `id_key ${idKey} is null in ${withoutId} ${withoutId === 1 ? "row" : "rows"}, such as row ${nullRows.join(" and row ")}; expected a value in each; ${unchanged}`,
    );
  if (doubled === 0) return;
  const shown = samples.map((id) => JSON.stringify(id.slice(0, maxSample))).join(" and ");
  throw new AuditlakeError(
    `id_key ${idKey} is not unique: ${doubled} ${doubled === 1 ? "value comes" : "values come"} more than once, such as ${shown}; ${unchanged}`,
  );
}
