import { readAsset } from "../../../base/home/assets.ts";
import { views } from "../../../../schemas/views.ts";
import { lakeTables } from "../tables.ts";
import { piecesOf, textOf } from "./pieces.ts";

/** A view as the engine takes it. */
export type View = { readonly name: string; readonly sql: string };

const begin = /create or replace view (\w+) as\n/;

/** The views of the published file that are no tables of the lake, in an order in which each comes after those it reads. */
export function engineViews(): View[] {
  const tables = new Set(lakeTables.map(({ name }) => name));
  return views
    .flatMap((file) => viewsIn(readAsset(`queries/views/${file}.sql`)))
    .filter(({ name }) => !tables.has(name) && !unread.has(name));
}

// What only tables of the lake are made from.
const unread = new Set(["read_stretches"]);

function viewsIn(text: string): View[] {
  return textOf(piecesOf(text))
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
