import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { getMessage } from "../../base/errors.ts";
import { PageError } from "../records/error.ts";
import { openInstance } from "../../base/sql/instance.ts";
import { assertReadToEnd } from "../../base/sql/select.ts";
import { readAll, type FileBytes, newStreamReader } from "./bytes.ts";

// Reads Parquet rows as lines of JSON with a separate database, since the writer's database has an open transaction.

const settings = { threads: "1", memory_limit: "1GB" };
const rows = `select to_json("auditlake:row") from read_parquet($path, hive_partitioning = false) as "auditlake:row"`;

/** Opens a file in Parquet, whose bytes `plain` gives, too; takes over closing it. Throws PageError. */
export async function openParquetLines(path: string, plain: FileBytes): Promise<FileBytes> {
  const instance = await openInstance(":memory:", settings);
  const connection = await instance.connect();
  const lines = readLines(path, connection);
  const close = async (): Promise<void> => {
    await lines.return(undefined);
    closeAll(connection, instance);
    await plain[Symbol.asyncDispose]();
  };
  const reader = newStreamReader(lines, async () => {
    // The database has read the file by itself.
    for await (const _ of readAll(plain)) continue;
  });
  return { ...reader, [Symbol.asyncDispose]: close };
}

function closeAll(connection: DuckDBConnection, instance: DuckDBInstance): void {
  connection.closeSync();
  instance.closeSync();
}

async function* readLines(path: string, connection: DuckDBConnection): AsyncGenerator<Buffer> {
  try {
    const result = await queryRows(path, connection);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const texts = chunk.getColumnValues(0) as string[];
      yield Buffer.from(`${texts.join("\n")}\n`);
    }
    await assertReadToEnd(result, async () => (await queryRows(path, connection)).fetchAllChunks());
  } catch (error) {
    const [reason] = getMessage(error).split("\n");
    throw new PageError(`the file is damaged or not complete Parquet: ${reason}`);
  }
}

async function queryRows(path: string, connection: DuckDBConnection): Promise<DuckDBResult> {
  await connection.run("set TimeZone = 'UTC'");
  // A path is a pattern to the database.
  return connection.stream(rows, { path: path.replaceAll(/[*?[]/g, "[$&]") });
}
