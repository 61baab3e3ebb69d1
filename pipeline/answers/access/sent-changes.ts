import { existsSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isObject } from "../../../schemas/object.ts";
import type { PermissionSet } from "../../../schemas/policies.ts";
import type { Settings } from "../../base/home/settings.ts";
import { parseKeepingNumbers } from "../../core/records/canonical.ts";
import { compareSets, parseSet } from "../../core/records/permissions.ts";
import { queryFile, textOf } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { listChanges, type SentChange } from "./log.ts";
import { type LoggedSet, proofsOf } from "./proofs.ts";

/**
 * The sets that were sent from here, as rows of text. Each has what it added and took away, and the event of the
 * published log that shows it.
 */
export async function sentChanges({ home, config }: Settings): Promise<{
  readonly columns: readonly string[];
  readonly rows: readonly (string | null)[][];
}> {
  await using database = existsSync(home.published)
    ? await openPublished(home.published, readLimits(config))
    : undefined;
  const changes = listChanges(home);
  const events =
    database === undefined || changes.length === 0
      ? []
      : await loggedSets(changes, database.connection);
  const proofs = proofsOf(changes, events);
  return { columns, rows: changes.map((sent) => rowOf(sent, proofs.get(sent.change_id))) };
}

const columns = [
  "sent_at",
  "policy_id",
  "verb",
  "by_whom",
  "api_user",
  "reason",
  "added",
  "taken_away",
  "outcome",
  "confirmed_by",
  "confirmed_actor",
  "source",
];

function rowOf(sent: SentChange, proof: LoggedSet | undefined): (string | null)[] {
  const { added, removed } = compareSets(parseSet(sent.before), parseSet(sent.after));
  return [
    sent.sent_at,
    sent.policy_id,
    sent.verb,
    sent.by_whom,
    sent.api_user,
    sent.reason,
    String(added.length),
    String(removed.length),
    sent.outcome,
    proof?.key ?? null,
    proof?.email ?? null,
    sent.source,
  ];
}

// Those of all the time in which sets were sent from here, and of some around it, since clocks differ.
async function loggedSets(
  changes: readonly SentChange[],
  connection: DuckDBConnection,
): Promise<LoggedSet[]> {
  const times = changes.map(({ sent_at }) => sent_at).sort();
  const day = (text: string, days: number): string =>
    new Date(Date.parse(text) + days * 86_400_000).toISOString();
  const rows = await queryFile(connection, "queries/access/confirming.sql", {
    from: day(times[0]!, -2),
    until: day(times.at(-1)!, 2),
  });
  return rows.flatMap((row) => {
    const after = setIn(textOf(row, "new_value"));
    if (after === undefined) return [];
    return [
      {
        key: String(row["event_key"]),
        timeMs: Number(row["time_ms"]),
        source: String(row["source"]),
        policyId: String(row["resource_id"]),
        email: textOf(row, "actor_email"),
        userId: textOf(row, "user_id"),
        before: setIn(textOf(row, "old_value")),
        after,
      },
    ];
  });
}

function setIn(text: string | null): PermissionSet | undefined {
  try {
    const value = text === null ? undefined : parseKeepingNumbers(text);
    return isObject(value) && Array.isArray(value["Databases"]) ? value : undefined;
  } catch {
    return undefined;
  }
}
