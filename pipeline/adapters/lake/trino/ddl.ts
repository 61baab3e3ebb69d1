import { quotedName, quotedText } from "../../../../schemas/quoted.ts";
import { lakeTables } from "../tables.ts";
import { placeText, type Registered, rowsOf } from "./pinned.ts";
import { engineViews } from "./views.ts";

/**
 * What to run at the engine once: the schema, the tables of the lake as they lie there, and views. Those are for
 * whoever asks by other means than auditlake, and see the newest commits. Tables that several ingesters fill with the
 * same have views in a schema of their own.
 */
export function ddl(place: Registered, location: string): string[] {
  const at = placeText(place);
  const schema = `create schema if not exists ${at}`;
  const tables = lakeTables.map(
    ({ name }) =>
      `call ${quotedName(place.catalog)}.system.register_table(schema_name => ${quotedText(place.schema)}, table_name => ${quotedText(name)}, table_location => ${quotedText(`${location}/${name}`)})`,
  );
  return [schema, ...tables, ...viewsOf(place)];
}

function viewsOf(place: Registered): string[] {
  const views = { ...place, schema: `${place.schema}_views` };
  const at = placeText(views);
  const names = (sql: string): string =>
    sql.replaceAll(/\b(from|join)\s+([a-z_]\w*)\b/g, (all, word: string, name: string) =>
      known.has(name) ? `${word} ${at}.${name}` : all,
    );
  const known = new Set([...lakeTables, ...engineViews()].map(({ name }) => name));
  const tables = lakeTables.map(
    (table) =>
      `create or replace view ${at}.${table.name} as ${rowsOf(table, `${placeText(place)}.${table.name}`)}`,
  );
  const own = engineViews().map(
    ({ name, sql }) => `create or replace view ${at}.${name} as\n${names(sql)}`,
  );
  return [`create schema if not exists ${at}`, ...tables, ...own];
}
