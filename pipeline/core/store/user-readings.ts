import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import type { User } from "../../../schemas/api.ts";
import { queryFile, runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";

const texts = [
  "email",
  "name",
  "first_name",
  "last_name",
  "phone",
  "created_at",
  "updated_at",
] as const;
const known = new Set<string>([...texts, "id", "administrator", "account_owner"]);

export type UserListRead = {
  readonly source: string;
  /** Later than that of any other list of the source. */
  readonly readAt: string;
  readonly users: readonly User[];
  /** Signs that contradict its completeness. */
  readonly against?: readonly string[] | undefined;
  /** The operator's reason for accepting a list that was held back. */
  readonly accepted?: string | undefined;
};

/** Users whom readings ended: how many, and the first ten by name. */
export type EndedUsers = { readonly users: number; readonly first: readonly string[] };

/**
 * Judges a user list and stores its accepted part and the verdict in one transaction. Changed users get new versions.
 * The result depends only on earlier lists, so a rebuild gives the same.
 */
export async function storeUsers(
  connection: DuckDBConnection,
  { source, readAt, users, against = [], accepted }: UserListRead,
): Promise<void> {
  await runFile(connection, "queries/load/directory.sql#incoming");
  const appender = await connection.createAppender("incoming_users", "main", "temp");
  const listed = new Map(users.map((user) => [user.id, user]));
  for (const user of listed.values()) appendUser(appender, user);
  appender.closeSync();
  await runInTransaction(connection, async () => {
    const counts = await countUsers(connection, source, listed.size);
    const { verdict, ends } = judgeUsers(counts, against, accepted !== undefined);
    const place = { source, read_at: readAt };
    if (verdict !== "empty" && verdict !== "faulty")
      await runFile(connection, "queries/load/users.sql", { ...place, ends });
    await runFile(connection, "queries/load/directory.sql#record", {
      ...place,
      verdict,
      listed: counts.listed,
      in_force: counts.inForce,
      against: accepted ?? formatAgainst(verdict, against, counts),
    });
  });
}

function formatAgainst(
  verdict: string,
  against: readonly string[],
  { settled, settledMissing }: UserCounts,
): string | null {
  if (verdict === "held_back") return `${settledMissing} of ${settled} users are missing`;
  return against.length === 0 ? null : against.join(", ");
}

/** Lists the users whom the readings of a source after a moment ended; undefined if none. */
export async function listEndedUsers(
  connection: DuckDBConnection,
  source: string,
  after: string | undefined,
): Promise<EndedUsers | undefined> {
  const values = { source, after: after ?? null };
  const rows = await queryFile(connection, "queries/load/directory.sql#ended", values);
  const [first] = rows;
  if (first === undefined) return undefined;
  return { users: Number(first["users"]), first: rows.map((row) => String(row["person"])) };
}

/** Returns the moment of the last list of a source that was held back, if no other was accepted since. */
export async function findHeldBackList(
  connection: DuckDBConnection,
  source: string,
): Promise<string | undefined> {
  const [row] = await queryFile(connection, "queries/load/directory.sql#held_back", { source });
  return row === undefined ? undefined : String(row["read_at"]);
}

/** When each source's list was read last, as far as that is stored. */
export async function listLastUserReads(
  connection: DuckDBConnection,
): Promise<Map<string, string>> {
  const rows = await queryFile(connection, "queries/load/directory.sql#last");
  return new Map(rows.map((row) => [String(row["source"]), String(row["read_at"])]));
}

async function countUsers(
  connection: DuckDBConnection,
  source: string,
  listed: number,
): Promise<UserCounts> {
  const [row] = await queryFile(connection, "queries/load/known_users.sql", { source });
  const count = (name: string): number => Number(row?.[name]);
  return {
    listed,
    inForce: count("in_force"),
    settled: count("settled"),
    settledMissing: count("settled_missing"),
    absent: count("absent"),
    missing: count("missing"),
    stillMissing: count("still_missing"),
  };
}

function appendUser(appender: DuckDBAppender, user: User): void {
  appender.appendBigInt(user.id);
  for (const key of texts) appendText(appender, user[key]);
  for (const flag of [user.administrator, user.account_owner])
    if (flag === null || flag === undefined) appender.appendNull();
    else appender.appendBoolean(flag);
  const rest = Object.fromEntries(Object.entries(user).filter(([key]) => !known.has(key)));
  appendText(appender, Object.keys(rest).length > 0 ? JSON.stringify(rest) : null);
  appender.endRow();
}

function appendText(appender: DuckDBAppender, text: string | null | undefined): void {
  if (text === null || text === undefined) appender.appendNull();
  else appender.appendVarchar(text);
}

export type UserCounts = {
  readonly listed: number;
  /** Users in force before it. */
  readonly inForce: number;
  /** Users in force at the last list that was not held back, and those of them who are not on the list. */
  readonly settled: number;
  readonly settledMissing: number;
  /** Users in force who are not on the list. */
  readonly absent: number;
  /** Users in force who were not on the list that was held back last. */
  readonly missing: number;
  /** Users who are on neither. */
  readonly stillMissing: number;
};

/** Verdict on a user list: see `directory_readings`. */
type UserVerdict = {
  readonly verdict: "whole" | "loss" | "held_back" | "accepted" | "empty" | "faulty";
  /** Which of the missing users end; `undecided` also leaves open those who were missing from the list before. */
  readonly ends: "all" | "missing_before" | "none" | "undecided";
};

const share = 10;
// A tenth of fewer users is less than one of them: each leaver would be a loss.
const few = 10;
const leavers = 2;
const fewestHeldBack = 10;

/**
 * Judges a user list. An empty list never replaces a list with users. Missing users end at once, unless more than a
 * tenth are missing: then a later list must agree. A list without more than half of the users ends no user until a
 * person accepts it.
 */
export function judgeUsers(
  counts: UserCounts,
  against: readonly string[],
  isAccepted = false,
): UserVerdict {
  const { listed, inForce, absent, missing, stillMissing, settled, settledMissing } = counts;
  if (isAccepted) return { verdict: "accepted", ends: "all" };
  if (against.length > 0) return { verdict: "faulty", ends: "none" };
  if (listed === 0 && inForce > 0) return { verdict: "empty", ends: "none" };
  if (settledMissing >= fewestHeldBack && settledMissing * 2 > settled)
    return { verdict: "held_back", ends: "undecided" };
  if (!isLoss(absent, inForce)) return { verdict: "whole", ends: "all" };
  // A reading that lists more than a tenth of them again shows that the one before was not whole.
  const isAgreed = missing > 0 && (missing - stillMissing) * share <= missing;
  if (!isAgreed) return { verdict: "loss", ends: "none" };
  return isLoss(absent - stillMissing, inForce)
    ? { verdict: "loss", ends: "missing_before" }
    : { verdict: "whole", ends: "all" };
}

function isLoss(users: number, inForce: number): boolean {
  return users * share > inForce && (inForce >= few || users > leavers);
}
