import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import { findClosestNames } from "../../base/closest-names.ts";
import { toTimestamp } from "../../base/time/text.ts";
import {
  nullable,
  oneOf,
  queryRows,
  text,
  truth,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";

/** The moment of a name look-up, by default now, and who is informed about the chosen id. */
export type At = {
  readonly onMs?: number;
  readonly print?: (line: string) => void;
};

/**
 * Finds the id that a text names, in any case of letters. An id has precedence over names, then the owner of the name
 * at the moment, today's owner, a previous owner. Throws UsageError with the nearest names if none has it, and with the
 * ids if several have.
 */
export async function findId(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  at: At = {},
): Promise<string> {
  const { id, error } = await lookUpId(connection, kind, text, source, at);
  if (id === undefined) throw error;
  return id;
}

/**
 * The same for what may be an id that neither log nor directory knows yet. It is returned unchanged, unless some name
 * is close to it.
 */
export async function findIdOrNew(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  at: At = {},
): Promise<string> {
  const { id, error, isNear } = await lookUpId(connection, kind, text, source, at);
  if (id === undefined && isNear && !/^\d+$/.test(text)) throw error;
  return id ?? text;
}

/** Finds the id of a policy at two moments. Throws UsageError if the name belonged to different policies. */
export async function findIdAtBoth<Moment extends number | undefined>(
  text: string,
  [first, second]: readonly [Moment, Moment],
  find: (onMs: Moment, isFirst: boolean) => Promise<string>,
): Promise<string> {
  const id = await find(first, true);
  const other = first === second ? id : await find(second, false);
  if (id === other) return id;
  const [early, late] = [first, second].map(formatMoment);
  throw new UsageError(
    `${JSON.stringify(text)} is policy ${id} at ${early} and policy ${other} at ${late}; use the id`,
  );
}

type FoundId =
  | { readonly id: string; readonly error?: undefined; readonly isNear?: undefined }
  | { readonly id?: undefined; readonly error: UsageError; readonly isNear: boolean };

async function lookUpId(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  { onMs, print }: At,
): Promise<FoundId> {
  const names = await listKnownNames(connection, kind, source, onMs);
  const isId = names.some(({ id }) => id === text);
  const ids = isId ? [text] : listIdsNamed(text, names);
  if (ids.length > 1)
    return { error: new UsageError(describeSeveral(kind, text, ids)), isNear: true };
  const [id] = ids;
  if (id === undefined) {
    const near = listNearest(text, names);
    return { error: new UsageError(describeNone(kind, text, near)), isNear: near.length > 0 };
  }
  const own = names.filter((name) => name.id === id);
  const line = formatNamed(kind, text, own, onMs);
  if (line !== undefined) print?.(line);
  return { id };
}

function describeSeveral(kind: Kind, text: string, ids: readonly string[]): string {
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : "";
  const list = ids.slice(0, 5).join(", ");
  return `${JSON.stringify(text)} is ambiguous: ${list}${more}; give the id of the ${kindWords[kind]}`;
}

function listNearest(text: string, names: readonly KnownName[]): string[] {
  const all = names.flatMap(({ id, name }) => [id, ...(name === null ? [] : [name.toLowerCase()])]);
  return findClosestNames(text.toLowerCase(), [...new Set(all)]).map(escapeControls);
}

function describeNone(kind: Kind, text: string, near: readonly string[]): string {
  const advice = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "; give an id or a name";
  return `no ${kindWords[kind]} ${JSON.stringify(text)} in log, snapshots or directory${advice}`;
}

export type Kind = "user" | "policy" | "database";

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

export type KnownName = TypedRow<typeof nameShape>;

/** All names of a kind that log, snapshots and directory know, as they stood at a moment; without one, now. */
async function listKnownNames(
  connection: DuckDBConnection,
  kind: Kind,
  source: string | undefined,
  onMs: number | undefined,
): Promise<KnownName[]> {
  const on = onMs === undefined ? null : toTimestamp(onMs);
  const values = { kind, source: source ?? null, on };
  return queryRows(connection, "queries/access/names.sql", nameShape, values);
}

/** Lists the ids of a name at the moment, earlier ones first; else the ids that have the name today, or had it. */
function listIdsNamed(asked: string, names: readonly KnownName[]): string[] {
  const wanted = asked.toLowerCase();
  const same = names.filter(({ name }) => name?.toLowerCase() === wanted);
  const best = Math.min(...same.map(rankName));
  return [...new Set(same.filter((name) => rankName(name) === best).map(({ id }) => id))];
}

function rankName({ isThen, isLast, state }: KnownName): number {
  if (isThen) return state === "there" ? 0 : 1;
  return isLast ? 2 : 3;
}

/**
 * Formats the line about the id chosen for a text: its names at the moment and now if they differ, and whether it did
 * not exist then. Undefined if an id was given and nothing is notable.
 */
export function formatNamed(
  kind: Kind,
  text: string,
  own: readonly KnownName[],
  onMs: number | undefined,
): string | undefined {
  const id = own[0]!.id;
  const more = [...listStates(own, onMs), ...listNames(text, own, onMs)];
  if (text === id && more.length === 0) return undefined;
  const subject = `${kindWords[kind]} ${escapeControls(id)}`;
  return [text === id ? subject : `${escapeControls(text)} is ${subject}`, ...more].join(", ");
}

function formatMoment(onMs: number | undefined): string {
  return onMs === undefined ? "now" : new Date(onMs).toISOString();
}

// Of several sources one may know it as there.
function listStates(own: readonly KnownName[], onMs: number | undefined): string[] {
  const states = own.map(({ state }) => state);
  if (states.includes("there")) return [];
  if (states.includes("gone")) return [`deleted by ${formatMoment(onMs)}`];
  return [`not created yet at ${formatMoment(onMs)}`];
}

function listNames(text: string, own: readonly KnownName[], onMs: number | undefined): string[] {
  const showNames = (names: readonly KnownName[]): string[] => [
    ...new Set(names.flatMap(({ name }) => (name === null ? [] : [escapeControls(name)]))),
  ];
  const then = showNames(own.filter(({ isThen }) => isThen));
  const now = showNames(own.filter(({ isLast }) => isLast));
  const [left, come] = [removeNames(then, now), removeNames(now, then)];
  if (left.length > 0 && come.length > 0)
    return [`named ${left.join(", ")} at ${formatMoment(onMs)} and ${come.join(", ")} now`];
  const isToday = now.some((name) => name.toLowerCase() === escapeControls(text).toLowerCase());
  return isToday || text === own[0]!.id || now.length === 0 ? [] : [`named ${now.join(", ")} now`];
}

function removeNames(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}
