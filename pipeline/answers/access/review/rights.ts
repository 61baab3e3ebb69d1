import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../../schemas/config.ts";
import { readUnreadTimes } from "../../report/unread.ts";
import { nullable, queryRows, text, type TypedRow } from "../../../base/sql/typed-rows.ts";
import { findLatestUse, type Use } from "../least.ts";
import { formatNoUse, listUses } from "../uses.ts";
import { type Holding, type Item, buildKey, findOwner } from "./item.ts";

/** Which source, and the moment as the database writes it. */
export type Moment = { readonly source: string; readonly on: string };

const heldShape = {
  userId: text,
  person: text,
  way: text,
  policyId: nullable(text),
  policyName: nullable(text),
  resourceKind: text,
  operation: nullable(text),
  objectId: nullable(text),
  objectName: nullable(text),
  reach: nullable(text),
  since: nullable(text),
  givenBy: nullable(text),
  evidence: text,
  creator: nullable(text),
};

type HeldRight = Omit<TypedRow<typeof heldShape>, "resourceKind"> & Holding;

async function readHeld(
  connection: DuckDBConnection,
  { source, on }: Moment,
): Promise<HeldRight[]> {
  const path = "queries/access/review.sql";
  const rows = await queryRows(connection, path, heldShape, { source, on });
  const all = rows.map(({ resourceKind: kind, ...held }) => ({ ...held, kind }));
  return [...new Map(all.map((held) => [buildKey(held), held])).values()];
}

export function listHoldings(connection: DuckDBConnection, moment: Moment): Promise<Holding[]> {
  return readHeld(connection, moment);
}

/** The same as the rows of a review: with owner, last use, and who gave it. */
export async function listItems(
  connection: DuckDBConnection,
  moment: Moment,
  owners: ConfigFile["reviews"]["owners"],
): Promise<Item[]> {
  const held = await readHeld(connection, moment);
  const asked = { ...moment, policy_id: null, unused_since: moment.on };
  const uses = Map.groupBy(await listUses(connection, asked), ({ userId }) => userId);
  const { unread } = await readUnreadTimes(connection, moment.source);
  return held.map(({ creator, ...holding }, i) => ({
    ...holding,
    row: `r${i + 1}`,
    owner: findOwner(holding, creator, owners),
    lastUse: findLastUse(
      holding,
      uses.get(holding.userId) ?? [],
      formatNoUse(unread, holding.since, moment.on),
    ),
  }));
}

/** What every policy holds on databases at a moment, as `operation:id` or `operation`. */
export async function listPolicies(
  connection: DuckDBConnection,
  { source, on }: Moment,
): Promise<Record<string, string[]>> {
  const shape = { policyId: text, operation: nullable(text), objectId: nullable(text) };
  const path = "queries/access/review_policies.sql";
  const rows = await queryRows(connection, path, shape, { source, on });
  const groups = Map.groupBy(rows, ({ policyId }) => policyId);
  return Object.fromEntries([...groups].map(([id, own]) => [id, own.map(formatShort)]));
}

/** A right on databases in short: `query:101`, `manage`. */
export function formatShort({
  operation,
  objectId,
}: Pick<Holding, "operation" | "objectId">): string {
  return objectId === null ? (operation ?? "") : `${operation ?? ""}:${objectId}`;
}

/** Returns when a right was last used, or `none`; null if the log does not show which event needed it. */
export function findLastUse(
  { kind, operation, objectId }: Pick<Holding, "kind" | "operation" | "objectId">,
  uses: readonly Use[],
  none: string,
): string | null {
  if (operation === null) return null;
  if (kind === "Account") return findLatestUse(uses, { operation: "manage", id: null }) ?? none;
  if (kind !== "Databases") return null;
  return findLatestUse(uses, { operation, id: objectId }) ?? none;
}
