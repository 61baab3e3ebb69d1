import { runStatement } from "../../base/sql/select.ts";
import type { Statement } from "../../base/sql/bind.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { ask } from "./ask.ts";
import type { Site } from "./site.ts";
import { findClosestNames } from "../../base/closest-names.ts";
import { quoteStart } from "../../base/printable.ts";

/** What a search may name; an empty text asks for nothing of the kind. */
export type Query = Readonly<Record<string, string>>;

type FoundRows = { columns: Rows["columns"]; rows: Row[]; tookMs: number };

/** All rows of a statement, and its time alone, without that of waiting for its turn. */
export function runSearch(site: Site, statement: Statement, gone: AbortSignal): Promise<FoundRows> {
  return ask(site, gone, async (connection, signal) => {
    const startMs = site.world.now();
    const { columns, batches } = await runStatement(connection, statement, signal);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    return { columns, rows, tookMs: site.world.now() - startMs };
  });
}

/**
 * What is wrong with an address that names fields which its page does not have; undefined where there are none. An
 * answer to less than was asked looks like one to all of it.
 */
export function describeUnknownFields(query: Query, known: readonly string[]): string | undefined {
  const given = Object.keys(query).filter((name) => query[name] !== "");
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const [first] = unknown as [string];
  const [near] = findClosestNames(first, known);
  const advice =
    near === undefined ? `expected ${known.join(", ") || "none"}` : `did you mean ${near}?`;
  return `the address names ${unknown.map(quoteStart).join(", ")}, which this page does not have; ${advice}`;
}
