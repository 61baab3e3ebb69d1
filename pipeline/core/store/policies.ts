import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import type { Grant } from "../records/permissions.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { queryFile, runFile, getText } from "../../base/sql/statements.ts";

/** One policy of a snapshot; no grants: the service knew no such policy, `same`: the snapshot before showed them. */
export type SeenPolicy = {
  readonly policyId: string;
  /** ISO text in UTC. */
  readonly readAt: string;
  /** The interval of the reading by the service's clock; undefined where the service sent no time. */
  readonly interval?: { readonly earliestAt: string; readonly latestAt: string } | undefined;
  readonly grants: readonly Grant[] | "same" | undefined;
};

/** Permissions that started and ended with a snapshot, and the present permissions of its policies. */
export type SnapshotCounts = {
  readonly began: number;
  readonly ended: number;
  readonly inForce: number;
  /** Of policies that were read before: what differs from then. */
  readonly moved: readonly ChangedPolicy[];
};

/** A permission that began or ended with a snapshot. */
export type ChangedPolicy = {
  readonly policyId: string;
  readonly isGranted: boolean;
  readonly grant: Grant;
};

const policyTable =
  "create or replace temp table incoming_policies (policy_id varchar, read_at varchar, is_present boolean, is_same boolean, earliest_at varchar, latest_at varchar)";
const permissionTable =
  "create or replace temp table incoming_permissions (policy_id varchar, position bigint, resource_kind varchar, operation varchar, object_id varchar, object_name varchar, details varchar)";

/** Stores a snapshot: new and changed permissions begin, those not there any more end; one transaction. */
export async function storeSnapshot(
  connection: DuckDBConnection,
  source: string,
  snapshotId: string,
  policies: readonly SeenPolicy[],
): Promise<void> {
  await connection.run(policyTable);
  await connection.run(permissionTable);
  await appendRows(connection, "incoming_policies", (appender) => {
    for (const { policyId, readAt, interval, grants } of policies) {
      for (const text of [policyId, readAt]) appender.appendVarchar(text);
      appender.appendBoolean(grants !== undefined);
      appender.appendBoolean(grants === "same");
      appendText(appender, interval?.earliestAt ?? null);
      appendText(appender, interval?.latestAt ?? null);
      appender.endRow();
    }
  });
  await appendRows(connection, "incoming_permissions", (appender) => {
    for (const { policyId, grants } of policies)
      for (const [i, grant] of grants === "same" ? [] : (grants ?? []).entries())
        appendGrant(appender, policyId, i, grant);
  });
  await runInTransaction(connection, async () => {
    await runFile(connection, "queries/derived/bound_name.sql");
    const values = { source, snapshot_id: snapshotId };
    await runFile(connection, "queries/load/policy_snapshot.sql", values);
  });
}

/** Compares the snapshot that this connection stored last with the one before. */
export async function countSnapshot(
  connection: DuckDBConnection,
  source: string,
): Promise<SnapshotCounts> {
  const [row] = await queryFile(connection, "queries/load/policies.sql#counts", { source });
  const moved = await queryFile(connection, "queries/load/policies.sql#moved", { source });
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return {
    began: count("began"),
    ended: count("ended"),
    inForce: count("in_force"),
    moved: moved.map((row) => ({
      policyId: String(row["policy_id"]),
      isGranted: row["is_granted"] === true,
      grant: {
        kind: String(row["resource_kind"]),
        operation: getText(row, "operation"),
        objectId: getText(row, "object_id"),
        objectName: getText(row, "object_name"),
        details: getText(row, "details"),
      },
    })),
  };
}

export async function listStoredSnapshots(connection: DuckDBConnection): Promise<Set<string>> {
  const reader = await connection.runAndReadAll(
    "select distinct snapshot_id from policy_snapshots",
  );
  return new Set((reader.getColumns()[0] ?? []).map(String));
}

/** A snapshot, and when it last read a policy, in milliseconds. */
export type LastSnapshot = { readonly id: string; readonly readMs: number };

/** The last snapshot that read any policy of a source; undefined before the first. */
export async function findLastSnapshot(
  connection: DuckDBConnection,
  source: string,
): Promise<LastSnapshot | undefined> {
  const [row] = await queryFile(connection, "queries/load/policies.sql#last", { source });
  return row && { id: String(row["snapshot_id"]), readMs: Number(row["read_ms"]) };
}

/** State of a policy: whether the last snapshot found it deleted, and whether it had a permission. */
export type KnownPolicy = { readonly isGone: boolean; readonly hasRights: boolean };

/** The policies that the log or an earlier snapshot names. */
export async function listKnownPolicies(
  connection: DuckDBConnection,
  source: string,
): Promise<Map<string, KnownPolicy>> {
  const rows = await queryFile(connection, "queries/load/policies.sql#known", { source });
  return new Map(
    rows.map((row) => [
      String(row["policy_id"]),
      { isGone: row["is_gone"] === true, hasRights: row["has_rights"] === true },
    ]),
  );
}

async function appendRows(
  connection: DuckDBConnection,
  table: string,
  fill: (appender: DuckDBAppender) => void,
): Promise<void> {
  const appender = await connection.createAppender(table, "main", "temp");
  fill(appender);
  appender.closeSync();
}

function appendGrant(
  appender: DuckDBAppender,
  policyId: string,
  position: number,
  { kind, operation, objectId, objectName, details }: Grant,
): void {
  appender.appendVarchar(policyId);
  appender.appendBigInt(BigInt(position));
  for (const text of [kind, operation, objectId, objectName, details]) appendText(appender, text);
  appender.endRow();
}

function appendText(appender: DuckDBAppender, text: string | null): void {
  if (text === null) appender.appendNull();
  else appender.appendVarchar(text);
}
