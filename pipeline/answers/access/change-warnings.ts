import { existsSync } from "node:fs";
import type { Comparison } from "../../core/records/permissions.ts";
import { printable } from "../../base/printable.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { plural } from "../../base/terminal/amounts.ts";
import type { Target } from "./target.ts";

/** Warnings before a change is sent: whom it touches, that it grants `manage`, that it touches the sender's own access. */
export async function warningsOf(target: Target, comparison: Comparison): Promise<string[]> {
  const people = await membersOf(target);
  const { api_user: own } = target.source;
  const givesAll = comparison.added.some(
    ({ kind, operation }) => kind === "Databases" && operation === "manage",
  );
  const isOwn = own !== undefined && people?.some((each) => each.includes(own.toLowerCase()));
  return [
    people === undefined || people.length === 0
      ? []
      : `it touches ${people.length === 1 ? "1 person" : `${people.length} people`}, as far as log and directory tell`,
    givesAll ? "warning: manage opens every operation on every database" : [],
    isOwn && comparison.removed.length > 0
      ? `warning: ${printable(own)}, whose key this is, belongs to the policy and loses ${plural(comparison.removed.length, "permission")}`
      : [],
  ].flat();
}

// The members of the policy, by e-mail and id; undefined where no published data knows them.
async function membersOf({ id, settings, source }: Target): Promise<string[][] | undefined> {
  const { home, config } = settings;
  if (!existsSync(home.published)) return undefined;
  await using database = await openPublished(home.published, readLimits(config));
  const rows = await queryFile(database.connection, "queries/access/members_now.sql", {
    policy_id: id,
    source: source.name,
  });
  return rows.map((row) => [String(row["user_email"] ?? "").toLowerCase(), String(row["user_id"])]);
}
