import type { DuckDBConnection } from "@duckdb/node-api";
import { toTimestamp } from "../../base/time/text.ts";
import { queryFile } from "../../base/sql/statements.ts";

/** What a name may stand for. */
export type Kind = "user" | "policy" | "database";

/** What messages call each of them. */
export const kindWords: Readonly<Record<Kind, string>> = {
  user: "person",
  policy: "policy",
  database: "database",
};

/** A name that somebody or something has, or had. */
export type KnownName = {
  readonly id: string;
  readonly name: string | null;
  /** Whether it is the name of today. */
  readonly isLast: boolean;
  /** Whether it was the name at the moment. */
  readonly isThen: boolean;
  /** Whether who has it was there at the moment. */
  readonly state: "there" | "gone" | "not made";
};

/** All names of a kind that log, snapshots and directory know, as they stood at a moment; without one, now. */
export async function knownNames(
  connection: DuckDBConnection,
  kind: Kind,
  source: string | undefined,
  onMs: number | undefined,
): Promise<KnownName[]> {
  const on = onMs === undefined ? null : toTimestamp(onMs);
  const values = { kind, source: source ?? null, on };
  const rows = await queryFile(connection, "queries/access/names.sql", values);
  return rows.map((row) => ({
    id: String(row["id"]),
    name: row["name"] === null ? null : String(row["name"]),
    isLast: row["is_last"] === true,
    isThen: row["is_then"] === true,
    state: row["state"] as KnownName["state"],
  }));
}

/** The ids of who had a name at the moment, those that were there before others; else of who has it today, or had it. */
export function idsNamed(text: string, names: readonly KnownName[]): string[] {
  const wanted = text.toLowerCase();
  const same = names.filter(({ name }) => name?.toLowerCase() === wanted);
  const best = Math.min(...same.map(rankOf));
  return [...new Set(same.filter((name) => rankOf(name) === best).map(({ id }) => id))];
}

function rankOf({ isThen, isLast, state }: KnownName): number {
  if (isThen) return state === "there" ? 0 : 1;
  return isLast ? 2 : 3;
}
