import { formatCommand } from "../../../base/command-line.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { quoteName, quoteText } from "../../../../schemas/quote.ts";
import type { Publication } from "../publication.ts";
import { type LakeTable, lakeTables } from "../tables.ts";
import { withNames } from "./own-names.ts";
import { splitSql, joinPieces } from "./pieces.ts";
import { views } from "../../../../schemas/views.ts";

/** Where the tables of the lake are registered. */
export type RegisteredSchema = { readonly catalog: string; readonly schema: string };

const source = /\bsource\b/;

/**
 * Writes a statement that reads each table of the lake as of one publication, with the views that it needs. The engine
 * needs registered tables only, and no publish changes the result. With a source, only its rows are read. Throws
 * AuditlakeError if the publication does not have a table.
 */
export function pinSql(
  sql: string,
  publication: Publication,
  place: RegisteredSchema,
  onlySource?: string,
): string {
  const tables = lakeTables.map((table) => ({
    name: table.name,
    sql: () => selectTable(table, publication, place, onlySource),
  }));
  const views = readEngineViews().map(({ name, sql: view }) => ({ name, sql: () => view }));
  const named = withNames(sql, [...tables, ...views]);
  // The statement must be a query.
  const query = named.startsWith("with ")
    ? named
    : `with auditlake_publication as (select 1 as publication)\n${named}`;
  return `${defineFunctions(sql)}${query}`;
}

const functions = ["in_network"];

// The functions of readers that the statement calls; nothing has to be installed at the engine.
function defineFunctions(sql: string): string {
  const words = new Set(splitSql(sql).map(({ text }) => text.toLowerCase()));
  const called = functions.filter((name) => words.has(name));
  const texts = called.map((name) => readAsset(`queries/lake/${name}.sql`).trim());
  return texts.length === 0 ? "" : `with ${texts.join(",\n")}\n`;
}

function selectTable(
  table: LakeTable,
  { tables, ingesters }: Publication,
  place: RegisteredSchema,
  only?: string,
): string {
  const version = tables[table.name]?.version;
  if (version === undefined)
    throw new AuditlakeError(
      `the lake has no table ${table.name}; an older auditlake may have published it: run ${formatCommand("lake", "publish")}`,
    );
  const at = `${placeText(place)}.${table.name} for version as of ${version}`;
  // With a single ingester each row exists once, and an engine needs fewer stages.
  const ranked = sortNewestFirst(ingesters);
  const isOnce = table.isShared && ranked.length === 1;
  return isOnce ? `select * from ${at}` : selectRows(table, at, only, ranked);
}

// The newer auditlake knows the catalog better; among equal ones who has published last.
function sortNewestFirst(ingesters: Publication["ingesters"]): string[] {
  const compareVersions = (a: string, b: string): number =>
    b.localeCompare(a, "en", { numeric: true });
  const all = Object.entries(ingesters).toSorted(
    ([a, one], [b, other]) =>
      compareVersions(one.tool_version, other.tool_version) ||
      compareVersions(one.published_at ?? "", other.published_at ?? "") ||
      compareVersions(b, a),
  );
  return all.map(([id]) => id);
}

export function placeText({ catalog, schema }: RegisteredSchema): string {
  return `${quoteName(catalog)}.${quoteName(schema)}`;
}

/** Selects the rows of a table. Of equal rows from several ingesters, only the row of the first ingester counts. */
export function selectRows(
  { order, isShared }: LakeTable,
  at: string,
  only?: string,
  ranked: readonly string[] = [],
): string {
  if (isShared) {
    const cases = ranked.map((id, rank) => ` when ${quoteText(id)} then ${rank}`).join("");
    const first = cases === "" ? "ingester" : `case ingester${cases} end, ingester`;
    const place = `row_number() over (partition by ${order} order by ${first}) as place`;
    return `select * from (select *, ${place} from ${at}) where place = 1`;
  }
  const where =
    only !== undefined && source.test(order) ? ` where source = ${quoteText(only)}` : "";
  return `select * from ${at}${where}`;
}

/**
 * Writes what to run on the engine once: the schema, the tables of the lake at their location, and views. The views are
 * for other clients than auditlake and show the newest commits. Tables that several ingesters fill with the same rows
 * have views in a schema of their own.
 */
export function writeDdl(place: RegisteredSchema, location: string): string[] {
  const at = placeText(place);
  const schema = `create schema if not exists ${at}`;
  const tables = lakeTables.map(
    ({ name }) =>
      `call ${quoteName(place.catalog)}.system.register_table(schema_name => ${quoteText(place.schema)}, table_name => ${quoteText(name)}, table_location => ${quoteText(`${location}/${name}`)})`,
  );
  return [schema, ...tables, ...defineViews(place)];
}

function defineViews(place: RegisteredSchema): string[] {
  const views = { ...place, schema: `${place.schema}_views` };
  const at = placeText(views);
  const qualifyNames = (sql: string): string =>
    sql.replaceAll(/\b(from|join)\s+([a-z_]\w*)\b/g, (all, word: string, name: string) =>
      known.has(name) ? `${word} ${at}.${name}` : all,
    );
  const known = new Set([...lakeTables, ...readEngineViews()].map(({ name }) => name));
  const tables = lakeTables.map(
    (table) =>
      `create or replace view ${at}.${table.name} as ${selectRows(table, `${placeText(place)}.${table.name}`)}`,
  );
  const own = readEngineViews().map(
    ({ name, sql }) => `create or replace view ${at}.${name} as\n${qualifyNames(sql)}`,
  );
  return [`create schema if not exists ${at}`, ...tables, ...own];
}

type View = { readonly name: string; readonly sql: string };

const begin = /create or replace view (\w+) as\n/;

/**
 * The views of the published file that are no tables of the lake, in an order in which each comes after those it reads.
 * Findings stay in the home that raised them.
 */
function readEngineViews(): View[] {
  const tables = new Set(lakeTables.map(({ name }) => name));
  return views
    .filter((file) => file !== "findings")
    .flatMap((file) => parseViews(readAsset(`queries/views/${file}.sql`)))
    .filter(({ name }) => !tables.has(name) && !unread.has(name));
}

// What only tables of the lake are made from.
const unread = new Set(["read_stretches"]);

function parseViews(text: string): View[] {
  return joinPieces(splitSql(text))
    .split(/;[ \t]*(?:\n|$)/)
    .filter((each) => begin.test(each))
    .map((each) => ({
      name: begin.exec(each)![1]!,
      // An engine decides by itself what it keeps.
      sql: each
        .replace(/^\s*/, "")
        .replace(begin, "")
        .replaceAll(" as not materialized (", " as (")
        // Keys are text already in the lake.
        .replaceAll(/\blower\(hex\(cast\(([a-z_.]+) as blob\)\)\)/g, "$1")
        .trim(),
    }));
}
