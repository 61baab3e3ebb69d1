import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { fingerprintOf } from "../../../schemas/generators/fingerprints.ts";
import { noteChange } from "./rematch.ts";
import { runFile } from "../../base/sql/statements.ts";
import { inTransaction } from "../../base/sql/transaction.ts";

/** What the catalog tables are filled with: the statements, and the text of the user's own events among them. */
export type Seed = { readonly sql: string; readonly extra: string | null };

/**
 * Fills the catalog tables where they have another catalog, and notes whose events are to be matched again; returns the
 * catalog's version.
 */
export async function fillCatalog(connection: DuckDBConnection, seed: Seed): Promise<string> {
  const version = catalogVersionOf(seed);
  const rules = fingerprints.matching;
  const rulesBefore = await firstOf(connection, "select rules_version from catalog_versions");
  const before = await versionOf(connection);
  const isSame = before === version && rulesBefore === rules;
  if (isSame && (await keptExtra(connection)) === seed.extra) return version;
  const haveRulesChanged = rulesBefore !== undefined && rulesBefore !== rules;
  const change = (): Promise<void> => replaceCatalog(connection, seed, version, rules);
  await inTransaction(connection, () =>
    // Where there was no catalog, nothing was loaded by it.
    before === undefined ? change() : noteChange(connection, haveRulesChanged, change),
  );
  return version;
}

async function replaceCatalog(
  connection: DuckDBConnection,
  { sql, extra }: Seed,
  version: string,
  rules: string,
): Promise<void> {
  await connection.run(sql);
  await runFile(connection, "queries/load/lookup.sql");
  await connection.run("delete from catalog_versions");
  const values = { version, rules };
  await connection.run("insert into catalog_versions values ($version, $rules)", values);
  await connection.run("delete from catalog_extra");
  if (extra !== null) await connection.run("insert into catalog_extra values ($extra)", { extra });
}

/** The version of a catalog, by the statements that fill its tables. */
export function catalogVersionOf({ sql }: Seed): string {
  return fingerprintOf([sql]);
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
  const value = reader.getColumns()[0]?.[0] ?? null;
  return value === null ? undefined : String(value);
}
