import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../../schemas/config.ts";
import { unreadOf } from "../../report/unread.ts";
import { queryFile, textOf, type Row } from "../../../base/sql/statements.ts";
import { lastUse, type Use } from "../least.ts";
import { noUseText, usesAt } from "../uses.ts";
import { type Holding, type Item, keyOf, ownerOf } from "./item.ts";

/** Which source, and the moment as the database writes it. */
export type Moment = { readonly source: string; readonly on: string };

type Held = { readonly holding: Holding; readonly row: Row };

async function readHeld(connection: DuckDBConnection, { source, on }: Moment): Promise<Held[]> {
  const rows = await queryFile(connection, "queries/access/review.sql", { source, on });
  const all = rows.map((row) => ({ holding: holdingOf(row), row }));
  return [...new Map(all.map((held) => [keyOf(held.holding), held])).values()];
}

/** What everybody holds at a moment. */
export async function holdingsAt(connection: DuckDBConnection, moment: Moment): Promise<Holding[]> {
  return (await readHeld(connection, moment)).map(({ holding }) => holding);
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
  return held.map(({ holding, row }, i) => ({
    ...holding,
    row: `r${i + 1}`,
    owner: ownerOf(holding, textOf(row, "creator"), owners),
    since: textOf(row, "since"),
    givenBy: textOf(row, "given_by"),
    evidence: String(row["evidence"]),
    lastUse: lastUseOf(
      holding,
      uses.get(holding.userId) ?? [],
      noUseText(unread, textOf(row, "since"), moment.on),
    ),
  }));
}

/** What every policy holds on databases at a moment, as `operation:id` or `operation`. */
export async function policiesAt(
  connection: DuckDBConnection,
  { source, on }: Moment,
): Promise<Record<string, string[]>> {
  const rows = await queryFile(connection, "queries/access/review_policies.sql", { source, on });
  const groups = Map.groupBy(rows, (row) => String(row["policy_id"]));
  return Object.fromEntries(
    [...groups].map(([id, own]) => [
      id,
      own.map((row) => shortOf(String(row["operation"]), textOf(row, "object_id"))),
    ]),
  );
}

/** A right on databases in short: `query:101`, `manage`. */
export function shortOf(operation: string, id: string | null): string {
  return id === null ? operation : `${operation}:${id}`;
}

/** When a right was last used, or `none`; null where the log does not tell which event needed it. */
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

function holdingOf(row: Row): Holding {
  return {
    userId: String(row["user_id"]),
    person: String(row["person"]),
    way: String(row["way"]),
    policyId: textOf(row, "policy_id"),
    policyName: textOf(row, "policy_name"),
    kind: String(row["resource_kind"]),
    operation: textOf(row, "operation"),
    objectId: textOf(row, "object_id"),
    objectName: textOf(row, "object_name"),
    reach: textOf(row, "reach"),
  };
}
