import type { DuckDBConnection } from "@duckdb/node-api";
import type { Activation } from "../../../schemas/activation.ts";
import { UsageError } from "../../errors.ts";
import { namedReports, type Report } from "../../report/find.ts";
import { refuseUnknown, statementOf } from "../../report/params.ts";
import { runStatement, type Statement } from "../../report/run.ts";
import { deltaColumns, quotedName, type DeltaKeys } from "../../warehouse/activation.ts";

/** What is activated, with a title for people. */
export type ActivationSource = { readonly statement: Statement; readonly title: string };

/** The statement whose rows are activated: a report's, or all rows of a table. Throws UsageError. */
export function sourceOf(
  activation: Activation,
  reports: readonly Report[],
  nowMs: number,
): ActivationSource {
  if (activation.report !== undefined) return reportSource(activation, reports, nowMs);
  const { activation_actions_db: schema, activation_actions_table: table } = activation;
  if (Object.keys(activation.params).length > 0)
    throw new UsageError("params belong to a report; a table takes none");
  const sql = `select * from ${quotedName(schema)}.${quotedName(table!)}`;
  return { statement: { sql, values: {} }, title: table! };
}

function reportSource(
  activation: Activation,
  reports: readonly Report[],
  nowMs: number,
): ActivationSource {
  const [report] = namedReports(reports, [activation.report!]);
  const given = new Map(Object.entries(activation.params));
  refuseUnknown(given, [report!]);
  const { sql, values } = statementOf(report!, given, nowMs);
  return {
    statement: { sql: sql.trim().replace(/;\s*$/, ""), values },
    title: report!.title,
  };
}

/** The columns the rows are compared by, all of them there; throws UsageError naming those there are. */
export async function deltaKeysOf(
  connection: DuckDBConnection,
  { id_key: idKey, delta_keys: deltaKeys }: Activation,
  { sql, values }: Statement,
): Promise<DeltaKeys> {
  const nothing = { sql: `select * from (${sql}\n) limit 0`, values };
  const { columns, batches } = await runStatement(connection, nothing);
  for await (const _batch of batches) continue;
  const names = columns.map(({ name }) => name);
  // Sorted, so that to write them in another order is no change.
  const keys = { idKey, deltaKeys: deltaKeys.length === 0 ? [idKey] : deltaKeys.toSorted() };
  const missing = [idKey, ...keys.deltaKeys].find((key) => !names.includes(key));
  if (missing !== undefined)
    throw new UsageError(
      `${missing === idKey ? "id_key" : "delta_keys"}: there is no column ${missing}; there are ${names.join(", ")}`,
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
