import type { DuckDBConnection } from "@duckdb/node-api";
import { createHash } from "node:crypto";

/** What the catalog tables are filled with: the statements, and the text of the user's own events among them. */
export type Seed = { readonly sql: string; readonly extra: string | null };

/** Fills the catalog tables where they have another catalog; returns the catalog's version. */
export async function fillCatalog(connection: DuckDBConnection, seed: Seed): Promise<string> {
  const version = createHash("sha256").update(seed.sql).digest("hex").slice(0, 12);
  const isSame = (await versionOf(connection)) === version;
  if (isSame && (await keptExtra(connection)) === seed.extra) return version;
  await connection.run("begin");
  await connection.run(seed.sql);
  await connection.run("delete from catalog_versions");
  await connection.run("insert into catalog_versions values ($version)", { version });
  await connection.run("delete from catalog_extra");
  if (seed.extra !== null)
    await connection.run("insert into catalog_extra values ($extra)", { extra: seed.extra });
  await connection.run("commit");
  return version;
}

/** The version of the catalog that a database was filled with. */
export function versionOf(connection: DuckDBConnection): Promise<string | undefined> {
  return firstOf(connection, "select catalog_version from catalog_versions");
}

/** The text of the user's own events that a database was filled with; null where there were none. */
export async function keptExtra(connection: DuckDBConnection): Promise<string | null> {
  return (await firstOf(connection, "select content from catalog_extra")) ?? null;
}

async function firstOf(connection: DuckDBConnection, sql: string): Promise<string | undefined> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getColumns()[0]?.map(String)[0];
}
