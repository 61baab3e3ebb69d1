import { existsSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { PermissionSet } from "../../schemas/policies.ts";
import type { Settings } from "../home/settings.ts";
import { parseKeepingNumbers } from "../records/canonical.ts";
import { compareSets, isSameSet, parseSet } from "../records/permissions.ts";
import { queryFile } from "../sql/statements.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import { listChanges, type SentChange } from "./log.ts";

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
  const rows = [];
  for (const sent of listChanges(home)) rows.push(await rowOf(sent, database?.connection));
  return { columns, rows };
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

async function rowOf(
  sent: SentChange,
  connection: DuckDBConnection | undefined,
): Promise<(string | null)[]> {
  const [before, after] = [parseSet(sent.before), parseSet(sent.after)];
  const { added, removed } = compareSets(before, after);
  const proof = connection === undefined ? undefined : await proofOf(sent, after, connection);
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
    proof?.actor ?? null,
    sent.source,
  ];
}

const minuteMs = 60_000;

// Clocks differ, and the log keeps whole seconds: some minutes around it are looked at.
async function proofOf(
  { policy_id, source, sent_at }: SentChange,
  after: PermissionSet,
  connection: DuckDBConnection,
): Promise<{ readonly key: string; readonly actor: string | null } | undefined> {
  const sentMs = Date.parse(sent_at);
  const at = (ms: number): string => new Date(ms).toISOString();
  const rows = await queryFile(connection, "queries/access/confirming.sql", {
    policy_id,
    source,
    from: at(sentMs - 5 * minuteMs),
    until: at(sentMs + 15 * minuteMs),
  });
  const proof = rows.find((row) => shows(String(row["new_value"]), after));
  if (proof === undefined) return undefined;
  const actor = proof["actor_email"];
  return { key: String(proof["event_key"]), actor: actor === null ? null : String(actor) };
}

function shows(value: string, after: PermissionSet): boolean {
  try {
    const logged = parseKeepingNumbers(value);
    return (
      typeof logged === "object" && logged !== null && isSameSet(logged as PermissionSet, after)
    );
  } catch {
    return false;
  }
}
