import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, oneOf, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { runFile } from "../../base/sql/statements.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { bindRange } from "./activity.ts";
import { bindKeys, type PersonKey } from "./person.ts";
import type { Range } from "./subject.ts";

const path = "queries/pages/person/rights.sql";

export type UserOfSource = { readonly source: string; readonly userId: string };

const heldShape = {
  way: text,
  operation: text,
  resourceKind: text,
  reach: nullable(text),
  policy: nullable(text),
  objects: count,
  names: nullable(text),
  sinceMs: nullable(count),
  grantedBy: nullable(text),
  isCertain: truth,
};

function bindUser({ source, userId }: UserOfSource, onMs: number) {
  return { source, user_id: userId, on: toTimestamp(onMs) };
}

/** Collects the rights of a user at all times, which the reads below need on the same connection. */
export async function collectAccess(
  connection: DuckDBConnection,
  { source, userId }: UserOfSource,
): Promise<void> {
  await runFile(connection, `${path}#collect`, { source, user_id: userId });
}

/** Reads what a collected user can do at a moment, by right and way, the strongest first. */
export async function readRightsNow(
  connection: DuckDBConnection,
  user: UserOfSource,
  onMs: number,
) {
  return queryRows(connection, `${path}#now`, heldShape, bindUser(user, onMs));
}
export type HeldRight = Awaited<ReturnType<typeof readRightsNow>>[number];

const endedShape = {
  operation: text,
  reach: nullable(text),
  object: nullable(text),
  endedMs: count,
  endedBy: nullable(text),
};

/** Reads the strongest rights of a collected user that ended in the 30 days before a moment. */
export async function readEndedRights(
  connection: DuckDBConnection,
  user: UserOfSource,
  onMs: number,
) {
  return queryRows(connection, `${path}#ended`, endedShape, bindUser(user, onMs));
}
export type EndedRight = Awaited<ReturnType<typeof readEndedRights>>[number];

const changes = ["granted", "revoked"] as const;
const givenShape = { slotMs: count, change: oneOf(changes), isFull: truth, changes: count };

/** Reads how many rights a person gave and took in each quarter of an hour. */
export async function readGivenRights(
  connection: DuckDBConnection,
  keys: readonly PersonKey[],
  range: Range,
) {
  const values = { ...bindKeys(keys), ...bindRange(range) };
  return queryRows(connection, `${path}#given`, givenShape, values);
}
export type GivenRights = Awaited<ReturnType<typeof readGivenRights>>[number];

const strongestShape = {
  timeMs: count,
  eventKey: text,
  operation: text,
  resourceKind: nullable(text),
  object: nullable(text),
  subjectKind: text,
  receiver: nullable(text),
  isOwn: truth,
};

/** Reads the newest grants by a person of full access and administration, and of all to the own account. */
export async function readStrongestGrants(
  connection: DuckDBConnection,
  keys: readonly PersonKey[],
  range: Range,
  most: number,
) {
  const values = { ...bindKeys(keys), ...bindRange(range), most };
  return queryRows(connection, `${path}#strongest`, strongestShape, values);
}
export type StrongGrant = Awaited<ReturnType<typeof readStrongestGrants>>[number];

const memberShape = {
  policy: text,
  policyId: text,
  person: text,
  sinceMs: nullable(count),
  untilMs: nullable(count),
  grantedBy: nullable(text),
};

/** Reads who else belonged to the policies that gave a collected user full access in a range. */
export async function readOtherMembers(
  connection: DuckDBConnection,
  { source, userId }: UserOfSource,
  range: Range,
  most: number,
) {
  const values = { source, user_id: userId, ...bindRange(range), most };
  return queryRows(connection, "queries/pages/person/members.sql", memberShape, values);
}
export type OtherMember = Awaited<ReturnType<typeof readOtherMembers>>[number];
