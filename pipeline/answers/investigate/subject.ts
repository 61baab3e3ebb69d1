import type { DuckDBConnection } from "@duckdb/node-api";
import { findNearestNames } from "../../base/closest-names.ts";
import { UsageError } from "../../base/errors.ts";
import { quoteStart } from "../../base/printable.ts";
import type { Values } from "../../base/sql/statements.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { bindKeys, type PersonKey } from "./person.ts";

export const subjectKinds = ["user", "address", "resource", "job"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** A name of a person or thing, in lower case; `of` is what the name refers to. */
export type Name = {
  readonly name: string;
  readonly of: string;
  /** Only the whole name finds it, not a part of it. */
  readonly isWhole: boolean;
};

/** The subject of a timeline: its value for the report, and its other names. */
export type Subject = { readonly value: string; readonly others: readonly string[] };

/** Nothing in the data has this name. */
export class UnknownSubject extends UsageError {
  override name = "UnknownSubject";
}

const listed = 5;

/**
 * Finds the subject of a text: by its exact name, ignoring case, or by a part of exactly one name. Throws UsageError
 * with the nearest names for no match, or with all matches for several.
 */
export function findSubject(kind: SubjectKind, text: string, names: readonly Name[]): Subject {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") throw new UsageError(`--${kind} is empty; expected an id or a name`);
  const exact = names.filter(({ name }) => name === wanted);
  if (exact.length > 0) return chooseSubject(kind, text, exact, names, wanted);
  const parts = names.filter(({ name, isWhole }) => !isWhole && name.includes(wanted));
  if (parts.length > 0) return chooseSubject(kind, text, parts, names, undefined);
  const all = [...new Set(names.map(({ name }) => name))];
  const near = findNearestNames(wanted, all);
  const hint = near.length === 0 ? "" : `; similar: ${near.map(quoteStart).join(", ")}`;
  throw new UnknownSubject(`no ${kind} ${quoteStart(text)} in the data${hint}`);
}

// An id or e-mail matches everyone who ever had it; a name has to match one.
function chooseSubject(
  kind: SubjectKind,
  text: string,
  found: readonly Name[],
  names: readonly Name[],
  exact: string | undefined,
): Subject {
  const whom = [...new Set(found.map(({ of }) => of))];
  const all = names.filter(({ of }) => whom.includes(of)).map(({ name }) => name);
  const isOne =
    exact !== undefined && (found.some(({ isWhole }) => isWhole) || exact.includes("@"));
  const value = isOne ? exact : whom[0]!;
  if (isOne || whom.length === 1)
    return { value, others: [...new Set(all)].filter((name) => name !== value) };
  const some = whom.slice(0, listed).map((of) => findName(of, names));
  const more = whom.length > listed ? ` and ${whom.length - listed} more` : "";
  throw new UsageError(
    `${quoteStart(text)} matches ${whom.length} ${kind === "address" ? "addresses" : `${kind}s`}: ${some.join(", ")}${more}; expected one of them`,
  );
}

function findName(of: string, names: readonly Name[]): string {
  const own = names.filter((each) => each.of === of).map(({ name }) => name);
  return quoteStart(own.find((name) => name.includes("@")) ?? own[0] ?? of);
}

/** A half-open range, milliseconds since the epoch. */
export type Range = { readonly sinceMs: number; readonly untilMs: number };

/** What the subjects of a kind go by: users and addresses of all time, resources and jobs of the range. */
export async function listNames(
  connection: DuckDBConnection,
  kind: SubjectKind,
  { sinceMs, untilMs }: Range,
): Promise<Name[]> {
  if (kind === "user") return listUserNames(connection);
  const file = { address: "addresses", resource: "resources", job: "jobs" }[kind];
  const range: Values = { since_ms: BigInt(sinceMs), until_ms: BigInt(untilMs) };
  return readNames(connection, file, kind === "address" ? {} : range);
}

/** The resource of the range that goes by exactly this text; the names of all resources take longer to collect. */
export async function findResource(
  connection: DuckDBConnection,
  resource: string,
  { sinceMs, untilMs }: Range,
): Promise<Name[]> {
  const range: Values = { since_ms: BigInt(sinceMs), until_ms: BigInt(untilMs) };
  return readNames(connection, "resource", { ...range, resource: resource.trim().toLowerCase() });
}

async function readNames(connection: DuckDBConnection, name: string, values: Values) {
  const path = `queries/investigate/names.sql#${name}`;
  const rows = await queryRows(connection, path, { name: text }, values);
  return rows.map((row): Name => ({ name: row.name, of: row.name, isWhole: false }));
}

/**
 * Finds when a job of this id or name started, in milliseconds since the epoch; for a job that was never issued, when
 * it was first refused or exported. Undefined if the log has neither.
 */
export async function findJobStart(
  connection: DuckDBConnection,
  job: string,
): Promise<number | undefined> {
  // Searches all events only if the jobs table does not have it.
  for (const file of ["job", "job_events"]) {
    const shape = { firstMs: nullable(count) };
    const path = `queries/investigate/names.sql#${file}`;
    const [row] = await queryRows(connection, path, shape, { job });
    if (row !== undefined && row.firstMs !== null) return row.firstMs;
  }
  return undefined;
}

// Users with an id are found by it, regardless of other names; the rest by their e-mail.
async function listUserNames(connection: DuckDBConnection): Promise<Name[]> {
  const shape = { userId: nullable(text), kind: text, name: text };
  const rows = await queryRows(connection, "queries/investigate/names.sql#users", shape);
  return rows.map(({ userId, kind, name }) => ({
    name,
    of: userId ?? name,
    isWhole: kind === "id",
  }));
}

const shape = {
  id: text,
  severity: text,
  title: text,
  message: text,
  state: text,
  firstMs: count,
  lastMs: count,
};

/** Reads findings about a person or a name that are not closed, the most severe first. */
export async function readSubjectFindings(
  connection: DuckDBConnection,
  keys: readonly PersonKey[],
  subject: string | null,
) {
  const values = { ...bindKeys(keys), subject };
  return queryRows(connection, "queries/pages/subject/findings.sql", shape, values);
}
export type SubjectFinding = Awaited<ReturnType<typeof readSubjectFindings>>[number];
