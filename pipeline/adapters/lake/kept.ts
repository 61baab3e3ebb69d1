import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../../../schemas/quoted.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { LakeTable } from "./tables.ts";

/** What stays in the lake, although the database no longer has it. */
export type Kept = {
  /** Whether anything stays at all. */
  readonly isAny: boolean;
  /** The moment before which rows of some source stay, and that before which those of every source do. */
  readonly ofSome: string;
  readonly ofAll: string;
  /** A SQL expression of that moment by the column `source`; null where nothing of a source stays. */
  readonly moment: string;
};

/** What stays in the lake although the database no longer has it, since a prune took it from a source. */
export async function keptInLake(connection: DuckDBConnection): Promise<Kept> {
  const rows = await queryFile(connection, "queries/lake/kept_before.sql");
  const known = rows.filter(({ source }) => source !== null);
  const moments = known.map(({ before }) => (before === null ? "" : String(before))).sort();
  const other = rows.find(({ source }) => source === null)?.["before"] ?? null;
  const all = [...moments, other === null ? "" : String(other)].sort();
  const cases = known.map(
    ({ source, before }) => `when ${quotedText(String(source))} then ${momentOf(before ?? null)}`,
  );
  return {
    isAny: all.at(-1) !== "",
    ofSome: all.at(-1)!,
    ofAll: moments[0] ?? all[0]!,
    moment: `case source ${cases.join(" ")} when '' then null else ${momentOf(other)} end`,
  };
}

function momentOf(before: unknown): string {
  return before === null ? "null" : `timestamp ${quotedText(String(before))}`;
}

/** Whether rows that the lake holds of a table and a day may stay; tables kept whole stay where their rows have keys. */
export function isKept({ isAny, ofSome }: Kept, { key }: LakeTable, day: string): boolean {
  if (day === "") return isAny && key !== undefined;
  return isBefore(day, ofSome);
}

/** Whether a day begins before a moment; never before none. */
export function isBefore(day: string, moment: string): boolean {
  return `${day} 00:00:00` < moment;
}
