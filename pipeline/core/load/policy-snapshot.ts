import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import pLimit from "p-limit";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { landSnapshot, listSnapshots, type LandedSnapshot } from "../landing/policies.ts";
import { parseSet, listGrants } from "../records/permissions.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Client } from "../source/client.ts";
import { type ClockCheck, newClockCheck, ClockError, mostSkewMs } from "../source/clock.ts";
import { ForbiddenError } from "../source/faults.ts";
import { readPolicyTimed } from "../source/policies.ts";
import {
  countSnapshot,
  type LastSnapshot,
  listStoredSnapshots,
  type SeenPolicy,
  storeSnapshot,
  type SnapshotCounts,
} from "../store/policies.ts";
import type { World } from "../../base/world.ts";
import { newRunId } from "../store/ledger/record.ts";
import { toTimestamp } from "../../base/time/text.ts";

type LandedPolicy = LandedSnapshot["policies"][number];

/** What was read of some policies; the rows of unread policies stay unchanged. */
export type PoliciesRead = {
  readonly policies: readonly LandedPolicy[];
  readonly failures: readonly { readonly policyId: string; readonly message: string }[];
};

type PolicyRequest = {
  readonly client: Client;
  readonly source: NamedSource;
  readonly world: World;
};

/**
 * Reads the permission sets of policies, several at once, each stamped by the service's clock, without a time of the
 * service by that of this machine; `earliestMs` is a time that none may be older than. A refused
 * key, a clock that is far off or an interrupt ends the reading. Another failure leaves the other policies alone, and so does a 403, where it is
 * not the answer for all of them.
 */
export async function readPolicies(
  { client, source, world }: PolicyRequest,
  ids: readonly string[],
  earliestMs: number,
  onProgress: (done: number, note: string) => void,
): Promise<PoliciesRead> {
  const limit = pLimit(source.limits.concurrency);
  const check = newClockCheck(true, undefined, world.now, () => undefined);
  const reads = ids.map((id) => limit(() => readOne(client, id, earliestMs, check, world)));
  for (const read of reads) read.catch(() => undefined);
  const policies: LandedPolicy[] = [];
  const failures: { policyId: string; message: string }[] = [];
  let forbidden: ForbiddenError | undefined;
  for (const [i, policyId] of ids.entries()) {
    try {
      policies.push(await reads[i]!);
    } catch (error) {
      if (isFinal(error) || world.signal.aborted) {
        limit.clearQueue();
        throw error;
      }
      failures.push({ policyId, message: getMessage(error) });
      if (error instanceof ForbiddenError) forbidden ??= error;
    }
    onProgress(i + 1, `policy ${policyId}`);
  }
  if (forbidden !== undefined && policies.length === 0) throw forbidden;
  return { policies, failures };
}

async function readOne(
  client: Client,
  id: string,
  earliestMs: number,
  check: ClockCheck,
  world: World,
): Promise<LandedPolicy> {
  const { read, moment } = await readPolicyTimed(client, id, world.now, check);
  const readMs = Math.max(moment?.dateMs ?? world.now(), earliestMs);
  const policy = { policy_id: id, read_at: toTimestamp(readMs), body: read?.text ?? null };
  if (moment === undefined) return policy;
  return {
    ...policy,
    earliest_at: toTimestamp(moment.fromMs),
    // Where the service's clock was set back, readings keep their order, and the interval takes in the difference.
    latest_at: toTimestamp(Math.max(moment.untilMs, readMs + 1)),
  };
}

function isFinal(error: unknown): boolean {
  if (error instanceof ForbiddenError) return false;
  if (error instanceof ClockError || !(error instanceof AuditlakeError)) return true;
  return error.exitCode === exitCode.refused;
}

/**
 * Throws ClockError if the last snapshot of a source has a time in the future: later snapshots would stay invisible
 * until then.
 */
export function refuseUntimely(
  last: LastSnapshot | undefined,
  source: string,
  nowMs: number,
): void {
  if (last === undefined || last.readMs - nowMs <= mostSkewMs) return;
  throw new ClockError(
    `snapshot ${last.id} of ${source} has the time ${new Date(last.readMs).toISOString()}, which is in the future; nothing was stored; set this machine's clock (NTP) if it is behind, otherwise move landing/policies/${last.id}.* away and run ${formatCommand("rebuild", "--force")}`,
  );
}

export async function keepSnapshot(
  landing: string,
  connection: DuckDBConnection,
  source: string,
  policies: readonly LandedPolicy[],
  world: World,
): Promise<SnapshotCounts> {
  const snapshot: LandedSnapshot = {
    version: 1,
    snapshot_id: newRunId(world.now(), world.random),
    source,
    policies: [...policies],
  };
  await landSnapshot(landing, snapshot);
  await saveSnapshot(connection, snapshot);
  return countSnapshot(connection, source);
}

/** Stores the landed snapshots that the database does not have yet, oldest first; resolves to their number. */
export async function storeLanded(landing: string, connection: DuckDBConnection): Promise<number> {
  const known = await listStoredSnapshots(connection);
  const unknown = listSnapshots(landing, known);
  // A renamed file adds nothing twice.
  const pending = unknown.filter((one) => !known.has(one.snapshot_id));
  const bodies: Bodies = new Map();
  for (const snapshot of pending) await saveSnapshot(connection, snapshot, bodies);
  return pending.length;
}

// The sets that snapshots showed last, by source and policy: most are the same every time.
type Bodies = Map<string, string>;

function saveSnapshot(
  connection: DuckDBConnection,
  snapshot: LandedSnapshot,
  bodies: Bodies = new Map(),
): Promise<void> {
  const policies = snapshot.policies.map(
    ({ policy_id, read_at, earliest_at, latest_at, body }) => ({
      policyId: policy_id,
      readAt: read_at,
      interval:
        earliest_at === undefined || latest_at === undefined
          ? undefined
          : { earliestAt: earliest_at, latestAt: latest_at },
      grants: listChangedGrants(body, `${snapshot.source} ${policy_id}`, bodies),
    }),
  );
  return storeSnapshot(connection, snapshot.source, snapshot.snapshot_id, policies);
}

function listChangedGrants(
  body: string | null,
  policy: string,
  bodies: Bodies,
): SeenPolicy["grants"] {
  if (body === null) {
    bodies.delete(policy);
    return undefined;
  }
  if (bodies.get(policy) === body) return "same";
  bodies.set(policy, body);
  return listGrants(parseSet(body));
}
