import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../errors.ts";
import { quotedName } from "../../../schemas/quoted.ts";

/** Whether there is a table or view. The database's own list takes ten times as long: it looks at what each one holds. */
export async function hasTable(connection: DuckDBConnection, name: string): Promise<boolean> {
  try {
    await connection.run(`select 1 from ${quotedName(name)} limit 0`);
    return true;
  } catch (error) {
    if (messageOf(error).startsWith("Catalog Error: Table with name")) return false;
    throw error;
  }
}
