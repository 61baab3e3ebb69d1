import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../errors.ts";
import { printable } from "../printable.ts";
import { closestNames } from "../closest-names.ts";
import { queryFile } from "../sql/statements.ts";

/** What a name may stand for. */
export type Kind = "user" | "policy" | "database";

const words: Readonly<Record<Kind, string>> = {
  user: "person",
  policy: "policy",
  database: "database",
};

type Name = { readonly id: string; readonly name: string | null; readonly isLast: boolean };

/**
 * The id of what a text names: an id, else a name of today, else a former one, in any case of letters. Throws
 * UsageError with the nearest names where nothing has it, and with the ids where several have.
 */
export async function idOf(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
): Promise<string> {
  const { id, error } = await found(connection, kind, text, source);
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
): Promise<string> {
  const { id, error, isNear } = await found(connection, kind, text, source);
  if (id === undefined && isNear && !/^\d+$/.test(text)) throw error;
  return id ?? text;
}

type Found =
  | { readonly id: string; readonly error?: undefined; readonly isNear?: undefined }
  | { readonly id?: undefined; readonly error: UsageError; readonly isNear: boolean };

async function found(
  connection: DuckDBConnection,
  kind: Kind,
  text: string,
  source: string | undefined,
): Promise<Found> {
  const rows = await queryFile(connection, "queries/access/names.sql", {
    kind,
    source: source ?? null,
  });
  const names = rows.map((row): Name => ({
    id: String(row["id"]),
    name: row["name"] === null ? null : String(row["name"]),
    isLast: row["is_last"] === true,
  }));
  if (names.some(({ id }) => id === text)) return { id: text };
  const wanted = text.toLowerCase();
  const same = names.filter(({ name }) => name?.toLowerCase() === wanted);
  const of = same.some(({ isLast }) => isLast) ? same.filter(({ isLast }) => isLast) : same;
  const ids = [...new Set(of.map(({ id }) => id))];
  if (ids.length === 1) return { id: ids[0]! };
  if (ids.length > 1) return { error: new UsageError(several(kind, text, ids)), isNear: true };
  const near = nearest(text, names);
  return { error: new UsageError(none(kind, text, near)), isNear: near.length > 0 };
}

function several(kind: Kind, text: string, ids: readonly string[]): string {
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : "";
  const list = ids.slice(0, 5).join(", ");
  return `${JSON.stringify(text)} names several: ${list}${more}; give the id of the ${words[kind]}`;
}

function nearest(text: string, names: readonly Name[]): string[] {
  const all = names.flatMap(({ id, name }) => [id, ...(name === null ? [] : [name.toLowerCase()])]);
  return closestNames(text.toLowerCase(), [...new Set(all)]).map(printable);
}

function none(kind: Kind, text: string, near: readonly string[]): string {
  const advice = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "; give an id or a name";
  return `no ${words[kind]} ${JSON.stringify(text)} in log, snapshots or directory${advice}`;
}
