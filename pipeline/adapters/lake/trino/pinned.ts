import { commandText } from "../../../base/command-line.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { quotedName, quotedText } from "../../../../schemas/quoted.ts";
import type { Publication } from "../publication.ts";
import { type LakeTable, lakeTables } from "../tables.ts";
import { withNames } from "./given-names.ts";
import { piecesOf } from "./pieces.ts";
import { engineViews } from "./views.ts";

/** Where the tables of the lake are registered. */
export type Registered = { readonly catalog: string; readonly schema: string };

const source = /\bsource\b/;

/**
 * A statement that reads each table of the lake as of one publication, with the views that it needs. Only registered tables
 * have to be at the engine, and no publish changes what it sees. With a source it sees the rows of that one alone.
 * Throws AuditlakeError where the publication lacks a table.
 */
export function pinned(
  sql: string,
  publication: Publication,
  place: Registered,
  onlySource?: string,
): string {
  const tables = lakeTables.map((table) => ({
    name: table.name,
    sql: () => tableSql(table, publication, place, onlySource),
  }));
  const views = engineViews().map(({ name, sql: view }) => ({ name, sql: () => view }));
  const named = withNames(sql, [...tables, ...views]);
  // Whatever is asked has to be a query.
  const query = named.startsWith("with ")
    ? named
    : `with auditlake_publication as (select 1 as publication)\n${named}`;
  return `${functionsFor(sql)}${query}`;
}

const functions = ["in_network"];

// The functions of readers that the statement calls; nothing has to be installed at the engine.
function functionsFor(sql: string): string {
  const words = new Set(piecesOf(sql).map(({ text }) => text.toLowerCase()));
  const called = functions.filter((name) => words.has(name));
  const texts = called.map((name) => readAsset(`queries/lake/${name}.sql`).trim());
  return texts.length === 0 ? "" : `with ${texts.join(",\n")}\n`;
}

function tableSql(
  table: LakeTable,
  { tables, ingesters }: Publication,
  place: Registered,
  only?: string,
): string {
  const version = tables[table.name]?.version;
  if (version === undefined)
    throw new AuditlakeError(
      `the lake has no table ${table.name}; an older auditlake may have published it: run ${commandText("lake", "publish")}`,
    );
  const at = `${placeText(place)}.${table.name} for version as of ${version}`;
  // Of one ingester alone each row stands there once, and an engine has fewer stages.
  const ranked = newestFirst(ingesters);
  const isOnce = table.isShared && ranked.length === 1;
  return isOnce ? `select * from ${at}` : rowsOf(table, at, only, ranked);
}

// The newer auditlake knows the catalog better; among equal ones who has published last.
function newestFirst(ingesters: Publication["ingesters"]): string[] {
  const later = (a: string, b: string): number => b.localeCompare(a, "en", { numeric: true });
  const all = Object.entries(ingesters).toSorted(
    ([a, one], [b, other]) =>
      later(one.tool_version, other.tool_version) ||
      later(one.published_at ?? "", other.published_at ?? "") ||
      later(b, a),
  );
  return all.map(([id]) => id);
}

/** The catalog and schema, as a statement names them. */
export function placeText({ catalog, schema }: Registered): string {
  return `${quotedName(catalog)}.${quotedName(schema)}`;
}

/** What is read of a table: of those that several ingesters fill with the same, each row once, of who comes first. */
export function rowsOf(
  { order, isShared }: LakeTable,
  at: string,
  only?: string,
  ranked: readonly string[] = [],
): string {
  if (isShared) {
    const cases = ranked.map((id, rank) => ` when ${quotedText(id)} then ${rank}`).join("");
    const first = cases === "" ? "ingester" : `case ingester${cases} end, ingester`;
    const place = `row_number() over (partition by ${order} order by ${first}) as place`;
    return `select * from (select *, ${place} from ${at}) where place = 1`;
  }
  const where =
    only !== undefined && source.test(order) ? ` where source = ${quotedText(only)}` : "";
  return `select * from ${at}${where}`;
}
