import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp, formatSecond } from "../../base/time/text.ts";
import { overlaps } from "../report/unread.ts";
import type { Unread } from "../../base/rows/row.ts";
import { count, nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import type { Use } from "./least.ts";

/** Values that queries/access/uses.sql binds; without a policy it is of everybody. */
type UseQuestion = {
  readonly policy_id: string | null;
  readonly source: string | null;
  readonly on: string;
  readonly unused_since: string;
};

export type PersonUse = Use & { readonly userId: string };

/** What people did with databases until a moment, by the log. */
export async function listUses(
  connection: DuckDBConnection,
  asked: UseQuestion,
): Promise<PersonUse[]> {
  const values = { ...asked, since: "-infinity", until: "infinity" };
  const rows = await queryRows(connection, "queries/access/uses.sql", useShape, values);
  return rows.map((row) => ({ ...row, operations: row.operations.split(",") }));
}

const useShape = {
  userId: text,
  person: text,
  operations: text,
  databaseId: nullable(text),
  isOwn: truth,
  uses: count,
  recent: count,
  lastUsedAt: text,
};

/**
 * Describes a right without a use, granted since a moment or since before the log. It is `never` only if all of that
 * time was read.
 */
export function formatNoUse(unread: readonly Unread[], since: string | null, on: string): string {
  const sinceMs = since === null ? -Infinity : fromTimestamp(since);
  const missing = unread.filter((each) => overlaps(each, sinceMs, fromTimestamp(on)));
  if (missing.length === 0) return "never";
  const ends = missing.filter(({ fromMs, untilMs }) => (fromMs === null) !== (untilMs === null));
  if (ends.length < missing.length) return "none in the part of the log that was read";
  const begins = ends.flatMap(({ untilMs }) => untilMs ?? []);
  const from = begins.length === 0 ? "" : ` since ${formatSecond(Math.max(...begins))}`;
  const [last] = ends.flatMap(({ fromMs }) => fromMs ?? []);
  return `none${from}${last === undefined ? "" : ` up to ${formatSecond(last)}`}`;
}
