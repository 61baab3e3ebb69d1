import { runStatement } from "../../base/sql/select.ts";
import type { Statement } from "../../base/sql/bind.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { ask } from "./ask.ts";
import type { Site } from "./site.ts";
import { findClosestNames } from "../../base/closest-names.ts";
import { quoteStart } from "../../base/printable.ts";

/** Parameters of a search; an empty text means no filter. */
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
 * Describes unknown fields of an address; undefined if all are known. An answer to less than the request looks
 * complete.
 */
export function describeUnknownFields(query: Query, known: readonly string[]): string | undefined {
  const given = Object.keys(query).filter((name) => query[name] !== "");
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const [first] = unknown as [string];
  const [near] = findClosestNames(first, known);
  const advice =
    near === undefined ? `expected ${known.join(", ") || "none"}` : `did you mean ${near}?`;
  return `this page has no parameter ${unknown.map(quoteStart).join(", ")}; ${advice}`;
}
