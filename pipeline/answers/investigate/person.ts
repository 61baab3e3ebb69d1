import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import type { Values } from "../../base/sql/statements.ts";

const path = "queries/pages/person/identity.sql";

/** What a person goes by in one source: an id, or an e-mail of events without an id. */
export type PersonKey = {
  readonly source: string;
  readonly userId: string | null;
  readonly email: string | null;
};

/** Finds the ids and e-mails of the person whom an id or e-mail names; empty for an unknown name. */
export async function findPersonKeys(
  connection: DuckDBConnection,
  person: string,
): Promise<PersonKey[]> {
  const shape = { source: text, userId: nullable(text), email: nullable(text) };
  return queryRows(connection, `${path}#keys`, shape, { person: person.trim().toLowerCase() });
}

/** The keys as statements with the part `person_keys` take them. */
export function bindKeys(keys: readonly PersonKey[]): Values {
  const rows = keys.map(({ source, userId, email }) => ({ source, user_id: userId, email }));
  return { keys: JSON.stringify(rows) };
}

const profileShape = {
  source: text,
  userId: nullable(text),
  name: nullable(text),
  email: nullable(text),
  createdAt: nullable(text),
  isListed: truth,
  isAdministrator: truth,
  isOwner: truth,
  firstSeenMs: nullable(count),
  lastSeenMs: nullable(count),
};

/** Reads what the directory and the log show of each id of a person. */
export async function readProfiles(connection: DuckDBConnection, keys: readonly PersonKey[]) {
  return queryRows(connection, `${path}#profile`, profileShape, bindKeys(keys));
}
export type Profile = Awaited<ReturnType<typeof readProfiles>>[number];
