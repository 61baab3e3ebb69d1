import type { DuckDBConnection } from "@duckdb/node-api";
import { readAsset } from "../../assets.ts";
import { queryFile, type Row } from "../../warehouse/statements.ts";
import { allows, leastRights, mightBeDenied, type Right, type Use } from "./least.ts";

/** What of a policy is asked: the moment, and since when a use counts; as the database writes times. */
export type Asked = {
  readonly policyId: string;
  readonly source: string | null;
  readonly on: string;
  readonly unusedSince: string;
};

/** A member who would lose a right: when somebody last used it, and whether they have it by another way. */
export type Loss = {
  readonly person: string;
  readonly right: Right;
  readonly lastUsedAt: string | null;
  readonly hasOtherwise: boolean;
};

/** What is proposed, and what came of replaying the log against it. */
export type Proposal = {
  readonly held: readonly Right[];
  readonly proposed: readonly Right[];
  readonly members: number;
  readonly losses: readonly Loss[];
  readonly uses: readonly Use[];
  /** Uses that it might have denied. */
  readonly denied: readonly Use[];
};

/** The least rights of a policy for what its members did, by what log and snapshots tell. */
export async function proposalOf(connection: DuckDBConnection, asked: Asked): Promise<Proposal> {
  const { policyId: policy_id, source, on, unusedSince: unused_since } = asked;
  const common = { policy_id, source, on };
  const [rows, done, others] = [
    await queryFile(connection, "queries/access/policy.sql", common),
    await queryFile(connection, "queries/access/uses.sql", {
      ...common,
      unused_since,
      rules: rulesJson(),
    }),
    await queryFile(connection, "queries/access/members.sql", common),
  ];
  const held = rows.filter((row) => row["resource_kind"] === "Databases").map(rightOf);
  const uses = done.map(useOf);
  const proposed = leastRights(held, uses);
  return {
    held,
    proposed,
    members: new Set(others.map((row) => String(row["user_id"]))).size,
    losses: lossesOf(held, proposed, uses, others),
    uses,
    denied: uses.filter((use) => mightBeDenied(held, proposed, use)),
  };
}

function rightOf(row: Row): Right {
  const id = row["object_id"] ?? row["database_id"] ?? null;
  return { operation: String(row["operation"]), id: id === null ? null : String(id) };
}

function useOf(row: Row): Use {
  return {
    person: String(row["person"]),
    operations: JSON.parse(String(row["operations"])) as string[],
    databaseId: row["database_id"] === null ? null : String(row["database_id"]),
    isOwn: row["is_own"] === true,
    uses: Number(row["uses"]),
    recent: Number(row["recent"]),
    lastUsedAt: String(row["last_used_at"]),
  };
}

function lossesOf(
  held: readonly Right[],
  proposed: readonly Right[],
  uses: readonly Use[],
  others: readonly Row[],
): Loss[] {
  const lost = held.filter(({ operation, id }) => !allows(proposed, operation, id, false));
  const byPerson = Map.groupBy(others, (row) => String(row["person"]));
  return [...byPerson].flatMap(([person, rows]) => {
    const otherwise = rows.filter((row) => row["operation"] !== null).map(rightOf);
    const own = uses.filter((use) => use.person === person);
    return lost.map((right) => ({
      person,
      right,
      lastUsedAt: lastUse(own, right),
      hasOtherwise: allows(otherwise, right.operation, right.id, false),
    }));
  });
}

function lastUse(uses: readonly Use[], { operation, id }: Right): string | null {
  const those = uses.filter(
    (use) =>
      (operation === "manage" || use.operations.includes(operation)) &&
      (id === null || use.databaseId === null || use.databaseId === id),
  );
  return (
    those
      .map(({ lastUsedAt }) => lastUsedAt)
      .toSorted()
      .at(-1) ?? null
  );
}

type Rules = {
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, readonly string[]>>;
};

// Which operations an event, or what the text of a job does, may need (schemas/uses.json).
function rulesJson(): string {
  const { jobs, events } = JSON.parse(readAsset("schemas/uses.json")) as Rules;
  const all = [
    ...Object.entries(jobs).map(([access, operations]) => ({ what: `job ${access}`, operations })),
    ...Object.entries(events).map(([what, operations]) => ({ what, operations })),
  ];
  return JSON.stringify(all);
}
