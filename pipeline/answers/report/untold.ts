import type { DuckDBConnection } from "@duckdb/node-api";
import { printable } from "../../base/printable.ts";
import { queryFile, runFile, textOf } from "../../base/sql/statements.ts";

/** What a question at a moment is about; each null or left out where it is not. */
export type About = {
  readonly source: string | null;
  readonly policy_id?: string | null;
  readonly other_id?: string | null;
  readonly user_id?: string | null;
  readonly on: string;
};

/**
 * A line on the policies of which neither log nor snapshots tell what they hold, of those that a question is about. An
 * answer without their rights would read as though they had none. It makes `untold_policies`, which files of
 * queries/access ask.
 */
export async function untoldLines(
  connection: DuckDBConnection,
  { source, policy_id = null, other_id = null, user_id = null, on }: About,
): Promise<string[]> {
  await runFile(connection, "queries/access/untold.sql", { on });
  const about = { source, policy_id, other_id, user_id, on };
  const rows = await queryFile(connection, "queries/access/untold_asked.sql", about);
  const [first] = rows;
  if (first === undefined) return [];
  const [id, name] = [textOf(first, "policy_id")!, textOf(first, "policy_name")];
  const named = printable(name === null ? id : `${name} (${id})`);
  const what = rows.length === 1 ? `policy ${named} holds` : `${rows.length} policies hold`;
  const such = rows.length === 1 ? "" : `, such as ${named}`;
  return [`neither log nor snapshots tell what ${what}${such}; policy snapshot reads it`];
}
