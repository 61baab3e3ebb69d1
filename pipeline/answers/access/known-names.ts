import type { DuckDBConnection } from "@duckdb/node-api";
import { toTimestamp } from "../../base/time/text.ts";
import {
  nullable,
  oneOf,
  queryRows,
  text,
  truth,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";

/** What a name may stand for. */
export type Kind = "user" | "policy" | "database";

/** What messages call each of them. */
export const kindWords: Readonly<Record<Kind, string>> = {
  user: "person",
  policy: "policy",
  database: "database",
};

const nameShape = {
  id: text,
  name: nullable(text),
  /** Whether it is the name of today. */
  isLast: truth,
  /** Whether it was the name at the moment. */
  isThen: truth,
  /** Whether who has it was there at the moment. */
  state: oneOf(["there", "gone", "not made"]),
};

/** A name that somebody or something has, or had. */
export type KnownName = TypedRow<typeof nameShape>;

/** All names of a kind that log, snapshots and directory know, as they stood at a moment; without one, now. */
export async function knownNames(
  connection: DuckDBConnection,
  kind: Kind,
  source: string | undefined,
  onMs: number | undefined,
): Promise<KnownName[]> {
  const on = onMs === undefined ? null : toTimestamp(onMs);
  const values = { kind, source: source ?? null, on };
  return queryRows(connection, "queries/access/names.sql", nameShape, values);
}

/** The ids of who had a name at the moment, those that were there before others; else of who has it today, or had it. */
export function idsNamed(asked: string, names: readonly KnownName[]): string[] {
  const wanted = asked.toLowerCase();
  const same = names.filter(({ name }) => name?.toLowerCase() === wanted);
  const best = Math.min(...same.map(rankOf));
  return [...new Set(same.filter((name) => rankOf(name) === best).map(({ id }) => id))];
}

function rankOf({ isThen, isLast, state }: KnownName): number {
  if (isThen) return state === "there" ? 0 : 1;
  return isLast ? 2 : 3;
}
