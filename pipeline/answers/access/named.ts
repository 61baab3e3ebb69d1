import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import { printable } from "../../base/printable.ts";
import { closestNames } from "../../base/closest-names.ts";
import { idsNamed, kindWords, knownNames, type Kind, type KnownName } from "./known-names.ts";
import { momentText, namedLine } from "./named-line.ts";

/** The moment at which a name is asked for, now without one, and who is told which one was taken. */
export type At = {
  readonly onMs?: number;
  readonly print?: (line: string) => void;
};

/**
 * The id of what a text names, in any case of letters. An id counts before names, then who had the name at the moment,
 * who has it today, a former one. Throws UsageError with the nearest names where nothing has it, and with the ids where
 * several have.
 */
export async function idOf(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  at: At = {},
): Promise<string> {
  const { id, error } = await found(connection, kind, text, source, at);
  if (id === undefined) throw error;
  return id;
}

/**
 * The same for what may be an id that neither log nor directory knows yet. It is given back as it stands, unless some
 * name is near to it.
 */
export async function idOrNew(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  at: At = {},
): Promise<string> {
  const { id, error, isNear } = await found(connection, kind, text, source, at);
  if (id === undefined && isNear && !/^\d+$/.test(text)) throw error;
  return id ?? text;
}

/**
 * The id of a policy that is asked about at two moments. Throws UsageError where its name was that of another one at
 * each: what is meant is not known.
 */
export async function idAtBoth<Moment extends number | undefined>(
  text: string,
  [first, second]: readonly [Moment, Moment],
  find: (onMs: Moment, isFirst: boolean) => Promise<string>,
): Promise<string> {
  const id = await find(first, true);
  const other = first === second ? id : await find(second, false);
  if (id === other) return id;
  const [early, late] = [first, second].map(momentText);
  throw new UsageError(
    `${JSON.stringify(text)} is policy ${id} at ${early} and policy ${other} at ${late}; give the id of the one that is meant`,
  );
}

type Found =
  | { readonly id: string; readonly error?: undefined; readonly isNear?: undefined }
  | { readonly id?: undefined; readonly error: UsageError; readonly isNear: boolean };

async function found(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
  { onMs, print }: At,
): Promise<Found> {
  const names = await knownNames(connection, kind, source, onMs);
  const isId = names.some(({ id }) => id === text);
  const ids = isId ? [text] : idsNamed(text, names);
  if (ids.length > 1) return { error: new UsageError(several(kind, text, ids)), isNear: true };
  const [id] = ids;
  if (id === undefined) {
    const near = nearest(text, names);
    return { error: new UsageError(none(kind, text, near)), isNear: near.length > 0 };
  }
  const own = names.filter((name) => name.id === id);
  const line = namedLine(kind, text, own, onMs);
  if (line !== undefined) print?.(line);
  return { id };
}

function several(kind: Kind, text: string, ids: readonly string[]): string {
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : "";
  const list = ids.slice(0, 5).join(", ");
  return `${JSON.stringify(text)} names several: ${list}${more}; give the id of the ${kindWords[kind]}`;
}

function nearest(text: string, names: readonly KnownName[]): string[] {
  const all = names.flatMap(({ id, name }) => [id, ...(name === null ? [] : [name.toLowerCase()])]);
  return closestNames(text.toLowerCase(), [...new Set(all)]).map(printable);
}

function none(kind: Kind, text: string, near: readonly string[]): string {
  const advice = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "; give an id or a name";
  return `no ${kindWords[kind]} ${JSON.stringify(text)} in log, snapshots or directory${advice}`;
}
