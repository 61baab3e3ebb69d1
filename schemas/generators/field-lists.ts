import { CatalogError } from "../catalog.ts";
import type { FieldsSource } from "../source.ts";

type Fields = FieldsSource["fields"];

// Fields with a line of their own in every list: under another name, or among those for who and what.
const apart = ["time", "event_name", "user_id", "user_email", "ip_address", "event_result", "id"];

const columnTypes: Readonly<Record<Fields[string]["type"], string>> = {
  text: "varchar",
  integer: "bigint",
  number: "double",
  boolean: "boolean",
  time: "timestamp",
};

const begins = /^( *)-- record fields(?: of (\w+))?: /;
const ends = /^ *-- end of record fields$/;
const width = 120;

/** Lists the columns that store record fields unchanged, in the order of the source, with the types of the database. */
export function listFieldColumns(fields: Fields): Readonly<Record<string, string>> {
  const names = Object.keys(fields).filter((name) => !apart.includes(name));
  return Object.fromEntries(names.map((name) => [name, columnTypes[fields[name]!.type]]));
}

/**
 * Rebuilds the list of record fields in SQL, between the lines `-- record fields: …` and `-- end of record fields`. The
 * first may name the table of each. Throws CatalogError if a line is missing.
 */
export function withFieldList(file: string, sql: string, fields: Fields): string {
  const lines = sql.split("\n");
  const from = lines.findIndex((line) => begins.test(line));
  const to = lines.findIndex((line) => ends.test(line));
  const [, indent = "", table] = begins.exec(lines[from] ?? "") ?? [];
  if (from < 0 || to < from)
    throw new CatalogError(`${file}: expected "-- record fields: …" and "-- end of record fields"`);
  const names = Object.keys(listFieldColumns(fields)).map((name) =>
    table === undefined ? name : `${table}.${name}`,
  );
  return [...lines.slice(0, from + 1), ...wrapNames(names, indent), ...lines.slice(to)].join("\n");
}

function wrapNames(names: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const longer = `${lines.at(-1) ?? ""} ${name},`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${name},`);
  }
  return lines;
}
