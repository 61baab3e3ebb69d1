import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../../schemas/quoted.ts";
import { queryFile } from "../sql/statements.ts";

/**
 * Reads where the columns of all tables lie. Throws what the database says of a damaged block of that. A kill within a
 * checkpoint can leave one half written, which opening a file does not notice.
 */
export async function readMetadata(connection: DuckDBConnection): Promise<void> {
  const tables = await queryFile(connection, "queries/publish/tables.sql");
  const reads = tables.map(
    ({ table_name: table }) =>
      `select count(*) from pragma_storage_info(${quotedText(quotedName(String(table)))})`,
  );
  // Of a new file there is none yet.
  if (reads.length > 0) await connection.run(reads.join(" union all "));
}
