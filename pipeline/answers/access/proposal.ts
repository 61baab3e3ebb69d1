import type { DuckDBConnection } from "@duckdb/node-api";
import type { PermissionSet } from "../../../schemas/policies.ts";
import type { Settings } from "../../base/home/settings.ts";
import { UsageError } from "../../base/errors.ts";
import { fromTimestamp, toTimestamp } from "../../base/time/text.ts";
import { nullable, queryRows, text, type TypedRow } from "../../base/sql/typed-rows.ts";
import { listPolicyRights } from "./policy-rights.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import {
  isAllowed,
  buildEntries,
  findLatestUse,
  computeLeastRights,
  canBeDenied,
  type Right,
  type Use,
} from "./least.ts";
import { findId } from "./find-ids.ts";
import { listUnreadBetween, readUnreadTimes } from "../report/unread.ts";
import { listUnknownLines } from "../report/reach.ts";
import { formatNoUse, listUses } from "./uses.ts";

/** Parameters of a policy query: the moment, and the earliest use that counts, as SQL timestamps. */
export type ProposalQuestion = {
  readonly policyId: string;
  readonly source: string | null;
  readonly on: string;
  readonly unusedSince: string;
};

/** A proposal, and the result of replaying the log against it. */
export type Proposal = {
  readonly held: readonly Right[];
  readonly proposed: readonly Right[];
  readonly members: number;
  readonly losses: readonly Loss[];
  /** The text for a last use that does not exist. */
  readonly none: string;
  readonly uses: readonly Use[];
  /** Uses that it might have denied. */
  readonly denied: readonly Use[];
  /** Unread parts of the requested time, whose uses are unknown. */
  readonly unread: readonly string[];
};

/**
 * A proposal for the policy that is named by id or name, from the published data. It is of a moment, and takes what was
 * used since another. Throws UsageError where no policy goes by that.
 */
export async function proposeFor(
  name: string,
  { onMs, sinceMs }: { readonly onMs: number; readonly sinceMs: number },
  { home, config, flags: { source } }: Settings,
): Promise<{ readonly id: string; readonly proposal: Proposal }> {
  await using database = await openPublished(home.published, readLimits(config));
  const { connection } = database;
  const policyId = await findId(connection, "policy", name, source);
  const moments = { on: toTimestamp(onMs), unusedSince: toTimestamp(sinceMs) };
  const asked = { policyId, source: source ?? null, ...moments };
  const about = { policy_id: policyId, source: asked.source, on: asked.on };
  const [unknownRights] = await listUnknownLines(connection, about);
  if (unknownRights !== undefined)
    throw new UsageError(`${unknownRights}; a proposal needs a snapshot`);
  return { id: policyId, proposal: await buildProposal(connection, asked) };
}

/** Builds a proposal as a permission set file, ids ascending. */
export function buildProposedSet({ proposed }: Proposal): PermissionSet {
  return { Databases: buildEntries(proposed, compareNumbers) };
}

function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Builds the least rights of a policy for what its members did, according to log and snapshots. */
export async function buildProposal(
  connection: DuckDBConnection,
  asked: ProposalQuestion,
): Promise<Proposal> {
  const { policyId: policy_id, source, on, unusedSince: unused_since } = asked;
  const common = { policy_id, source, on };
  const { unread: all } = await readUnreadTimes(connection, source ?? undefined);
  const [rights, uses, others] = [
    await listPolicyRights(connection, common),
    await listUses(connection, { ...common, unused_since }),
    await queryRows(connection, "queries/access/members.sql", memberShape, common),
  ];
  const unread = all.filter((each) => rights.length === 0 || each.source === rights[0]!.source);
  const held = rights
    .filter(({ resourceKind }) => resourceKind === "Databases")
    .map(({ operation, objectId }) => ({ operation: operation ?? "", id: objectId }));
  const proposed = computeLeastRights(held, uses);
  return {
    held,
    proposed,
    members: new Set(others.map(({ userId }) => userId)).size,
    losses: listLosses(held, proposed, uses, others.map(toMember)),
    none: formatNoUse(unread, null, on),
    uses,
    denied: uses.filter((use) => canBeDenied(held, proposed, use)),
    unread: listUnreadBetween(unread, fromTimestamp(unused_since), fromTimestamp(on)),
  };
}

const memberShape = {
  person: text,
  userId: nullable(text),
  operation: nullable(text),
  databaseId: nullable(text),
};

function toMember({ person, operation, databaseId }: TypedRow<typeof memberShape>): Member {
  return { person, otherwise: operation === null ? null : { operation, id: databaseId } };
}

/** A member who would lose a right: when it was last used, and whether they have it by another way. */
type Loss = {
  readonly person: string;
  readonly right: Right;
  readonly lastUsedAt: string | null;
  readonly hasOtherwise: boolean;
};

/** A member of the policy with one right that they have by another way; null where they have none. */
type Member = { readonly person: string; readonly otherwise: Right | null };

export function listLosses(
  held: readonly Right[],
  proposed: readonly Right[],
  uses: readonly Use[],
  members: readonly Member[],
): Loss[] {
  const lost = held.filter(({ operation, id }) => !isAllowed(proposed, operation, id, false));
  const byPerson = Map.groupBy(members, ({ person }) => person);
  return [...byPerson].flatMap(([person, those]) => {
    const others = those.flatMap(({ otherwise }) => otherwise ?? []);
    const own = uses.filter((use) => use.person === person);
    return lost.map((right) => ({
      person,
      right,
      lastUsedAt: findLatestUse(own, right),
      hasOtherwise: isAllowed(others, right.operation, right.id, false),
    }));
  });
}
