import type { DuckDBConnection } from "@duckdb/node-api";
import { countText } from "../../base/terminal/amounts.ts";
import { type Facts, factsOf } from "../../base/sql/facts.ts";

/** How the texts of query jobs stand, each counted once. */
export async function textFacts(connection: DuckDBConnection): Promise<Facts> {
  return (await factsOf(connection, "queries/status/texts.sql", {}))[0]!;
}

const words: readonly (readonly [string, string])[] = [
  ["parsed", "read"],
  ["failed", "failed"],
  ["timed_out", "took too long"],
  ["too_large", "too large"],
  ["waiting", "wait"],
];

/** The same in words on a line of its own; none where there are no texts, or nobody reads them. */
export function textsLine(facts: Facts, limitMs: number): string {
  const parts = words.flatMap(([name, word]) => {
    const count = Number(facts[name]);
    return count === 0 ? [] : [`${countText(count)} ${word}`];
  });
  return parts.length === 0 || limitMs === 0 ? "" : `  query texts   ${parts.join(", ")}\n`;
}
