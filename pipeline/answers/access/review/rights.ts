import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../../schemas/config.ts";
import { unreadOf } from "../../report/unread.ts";
import { nullable, queryRows, text, type TypedRow } from "../../../base/sql/typed-rows.ts";
import { lastUse, type Use } from "../least.ts";
import { noUseText, usesAt } from "../uses.ts";
import { type Holding, type Item, keyOf, ownerOf } from "./item.ts";

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

type Held = Omit<TypedRow<typeof heldShape>, "resourceKind"> & Holding;

async function readHeld(connection: DuckDBConnection, { source, on }: Moment): Promise<Held[]> {
  const path = "queries/access/review.sql";
  const rows = await queryRows(connection, path, heldShape, { source, on });
  const all = rows.map(({ resourceKind: kind, ...held }) => ({ ...held, kind }));
  return [...new Map(all.map((held) => [keyOf(held), held])).values()];
}

/** What everybody holds at a moment. */
export function holdingsAt(connection: DuckDBConnection, moment: Moment): Promise<Holding[]> {
  return readHeld(connection, moment);
}

/** The same as the rows of a review: with owner, last use, and who gave it. */
export async function itemsAt(
  connection: DuckDBConnection,
  moment: Moment,
  owners: ConfigFile["reviews"]["owners"],
): Promise<Item[]> {
  const held = await readHeld(connection, moment);
  const asked = { ...moment, policy_id: null, unused_since: moment.on };
  const uses = Map.groupBy(await usesAt(connection, asked), ({ userId }) => userId);
  const { unread } = await unreadOf(connection, moment.source);
  return held.map(({ creator, ...holding }, i) => ({
    ...holding,
    row: `r${i + 1}`,
    owner: ownerOf(holding, creator, owners),
    lastUse: lastUseOf(
      holding,
      uses.get(holding.userId) ?? [],
      noUseText(unread, holding.since, moment.on),
    ),
  }));
}

/** What every policy holds on databases at a moment, as `operation:id` or `operation`. */
export async function policiesAt(
  connection: DuckDBConnection,
  { source, on }: Moment,
): Promise<Record<string, string[]>> {
  const shape = { policyId: text, operation: nullable(text), objectId: nullable(text) };
  const path = "queries/access/review_policies.sql";
  const rows = await queryRows(connection, path, shape, { source, on });
  const groups = Map.groupBy(rows, ({ policyId }) => policyId);
  return Object.fromEntries([...groups].map(([id, own]) => [id, own.map(shortOf)]));
}

/** A right on databases in short: `query:101`, `manage`. */
export function shortOf({ operation, objectId }: Pick<Holding, "operation" | "objectId">): string {
  return objectId === null ? (operation ?? "") : `${operation ?? ""}:${objectId}`;
}

/** Returns when a right was last used, or `none`; null if the log does not show which event needed it. */
export function lastUseOf(
  { kind, operation, objectId }: Pick<Holding, "kind" | "operation" | "objectId">,
  uses: readonly Use[],
  none: string,
): string | null {
  if (operation === null) return null;
  if (kind === "Account") return lastUse(uses, { operation: "manage", id: null }) ?? none;
  if (kind !== "Databases") return null;
  return lastUse(uses, { operation, id: objectId }) ?? none;
}
