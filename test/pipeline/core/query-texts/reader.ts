import { type Dialect, loadLanguage } from "../../../../pipeline/core/query-texts/language.ts";
import { type Reading, readText } from "../../../../pipeline/core/query-texts/read-statements.ts";
import { ownDatabase } from "./texts.ts";

const languages = { trino: await loadLanguage("trino"), hive: await loadLanguage("hive") };

export function read(text: string, dialect: Dialect = "trino"): Reading {
  return readText(text, dialect, languages);
}

/** What a text touches, as `texts.ts` writes it: `statement kind database.table access`, sorted. */
export function listTables({ tables }: Reading): string[] {
  const lines = tables.map(
    ({ statement, kind, database, table, access }) =>
      `${statement} ${kind} ${database ?? ownDatabase}.${table} ${access}`,
  );
  return [...new Set(lines)].sort();
}
