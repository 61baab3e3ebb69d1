import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

/** Where a secret was found, and in what form. */
export type Hit = { readonly where: string; readonly form: string };

/** Finds the forms of a secret in bytes. */
export function hitsIn(bytes: Buffer, forms: ReadonlyMap<string, Buffer>): string[] {
  return [...forms].flatMap(([name, form]) => (bytes.includes(form) ? [name] : []));
}

/** What a search went through and found; `known` are the key files with the secret, which prove that it was used. */
export type Searched = {
  readonly files: number;
  readonly bytes: number;
  readonly hits: Hit[];
  readonly known: number;
};

/**
 * Searches every file below a folder, its name included, and its decompressed content: zstd, gzip, the rows of DuckDB
 * files. Hits in files that `isKeyFile` names are allowed, and only counted.
 */
export async function searchFolder(
  folder: string,
  forms: ReadonlyMap<string, Buffer>,
  isKeyFile: (name: string) => boolean,
): Promise<Searched> {
  const hits: Hit[] = [];
  let [files, bytes, known] = [0, 0, 0];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const where = relative(folder, path);
    for (const form of hitsIn(Buffer.from(entry.name), forms))
      hits.push({ where: `name of ${where}`, form });
    if (!entry.isFile()) continue;
    const content = readIfPossible(path);
    if (isKeyFile(entry.name)) {
      known += hitsIn(content, forms).length > 0 ? 1 : 0;
      continue;
    }
    files += 1;
    bytes += content.length;
    for (const form of hitsIn(content, forms)) hits.push({ where, form });
    for (const form of hitsIn(unpacked(content), forms))
      hits.push({ where: `${where}, unpacked`, form });
    if (isDatabase(content))
      for (const table of await tablesWith(path, forms))
        hits.push({ where: `${where}, ${table}`, form: "row" });
  }
  return { files, bytes, hits, known };
}

// Some tests leave unreadable files.
function readIfPossible(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function unpacked(content: Buffer): Buffer {
  try {
    if (content.readUInt32LE() === 0xfd2fb528) return zstdDecompressSync(content);
    if (content.readUInt16BE() === 0x1f8b) return gunzipSync(content);
  } catch {
    // Too short or damaged on purpose: its bytes were searched directly.
  }
  return Buffer.alloc(0);
}

function isDatabase(content: Buffer): boolean {
  return content.subarray(8, 12).toString("latin1") === "DUCK";
}

// A database may hold text compressed; damaged ones were searched as bytes.
async function tablesWith(path: string, forms: ReadonlyMap<string, Buffer>): Promise<string[]> {
  let instance: DuckDBInstance | undefined;
  try {
    instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY", threads: "1" });
    const connection = await instance.connect();
    const found = await readTables(connection, forms);
    connection.closeSync();
    return found;
  } catch {
    return [];
  } finally {
    instance?.closeSync();
  }
}

async function readTables(
  connection: DuckDBConnection,
  forms: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const texts = [...forms.values()]
    .filter((form) => !form.includes(0))
    .map((form) => `'${form.toString("latin1").replaceAll("'", "''")}'`);
  const listed = await connection.runAndReadAll(
    "select table_name from duckdb_tables() where estimated_size > 0 and not internal",
  );
  const found: string[] = [];
  for (const [table] of listed.getRows()) {
    const sql = `select 1 from "${String(table)}" as t where len(list_filter([${texts.join(", ")}], lambda x: contains(cast(t as varchar), x))) > 0 limit 1`;
    if ((await connection.runAndReadAll(sql)).currentRowCount > 0) found.push(String(table));
  }
  return found;
}
