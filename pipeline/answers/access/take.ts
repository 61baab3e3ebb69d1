import { fault, notify, warning } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { policyId } from "../../../schemas/policies.ts";
import { AuditlakeError, exitCode, type ExitCode } from "../../base/errors.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { newStreamSink } from "../report/result.ts";
import type { Client } from "../../core/source/client.ts";
import {
  listKnownPolicies,
  type KnownPolicy,
  findLastSnapshot,
  type ChangedPolicy,
} from "../../core/store/policies.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { newProgress } from "../../base/terminal/progress.ts";
import type { World } from "../../base/world.ts";
import { changeLines } from "./change-lines.ts";
import {
  keepSnapshot,
  type PoliciesRead,
  readPolicies,
  refuseUntimely,
  storeLanded,
} from "../../core/load/policy-snapshot.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { listGrants, parseSet } from "../../core/records/permissions.ts";

/** The source whose policies are read, the client that reads them, and the home that keeps them. */
export type SnapshotTask = {
  readonly settings: Settings;
  readonly source: NamedSource;
  readonly client: Client;
  readonly connection: DuckDBConnection;
  readonly world: World;
};

/**
 * Reads the permission sets of the named policies, stores their history and prints what changed. Without names, those
 * are read that are configured or that the log names. Resolves to the exit code; throws AuditlakeError if all of them,
 * or all their rights, seem to be deleted.
 */
export async function takeSnapshot(
  taking: SnapshotTask,
  named: readonly string[],
): Promise<ExitCode | undefined> {
  const { settings, source, connection, world } = taking;
  const print = plainPrinter(world, settings.flags);
  const resumed = await storeLanded(settings.home.landing, connection);
  if (resumed > 0)
    print(`stored ${formatCount(resumed, "snapshot")} that an earlier run had fetched`);
  const known = await listKnownPolicies(connection, source.name);
  const asked = named.length > 0 ? named : (source.policies ?? listKnown(known, world));
  const ids = [...new Set(asked)];
  if (ids.length === 0) {
    print(
      "no policy is known yet; ingest the log first, name ids, or list them in sources.<name>.policies",
    );
    return undefined;
  }
  const last = await findLastSnapshot(connection, source.name);
  // Snapshots of a source never share a moment.
  const earliestMs = last === undefined ? 0 : last.readMs + 1;
  const { quiet, progress: mode } = settings.flags;
  const progress = newProgress(mode, quiet === true, ids.length, "policies", world);
  let read: PoliciesRead;
  try {
    read = await readPolicies(taking, ids, earliestMs, progress.update);
  } finally {
    progress.end();
  }
  refuseUntimely(last, source.name, world.now());
  if (named.length === 0) refuseAllGone(read, known);
  return await keep(taking, withoutUnknown(read, known), print);
}

type KnownPolicies = ReadonlyMap<string, KnownPolicy>;

// The log can contain any text; only valid ids are requested.
function listKnown(known: KnownPolicies, world: World): string[] {
  const all = [...known].filter(([, { isGone }]) => !isGone).map(([id]) => id);
  const good = all.filter((id) => policyId.safeParse(id).success);
  if (good.length < all.length)
    notify(world, warning("policy_ids_unusable", { ids: all.length - good.length }));
  return good;
}

// A policy that was never seen before has not been deleted: its id is wrong.
function withoutUnknown({ policies, failures }: PoliciesRead, known: KnownPolicies): PoliciesRead {
  const isWrong = ({ policy_id: id, body }: PoliciesRead["policies"][number]): boolean =>
    body === null && !known.has(id);
  const wrong = policies.filter(isWrong).map(({ policy_id }) => ({
    policyId: policy_id,
    message: "it does not exist: the service answered 404",
  }));
  return {
    policies: policies.filter((policy) => !isWrong(policy)),
    failures: [...failures, ...wrong],
  };
}

async function keep(
  { settings, source, connection, world }: SnapshotTask,
  { policies, failures }: PoliciesRead,
  print: (line: string) => void,
): Promise<ExitCode | undefined> {
  const code = policies.length > 0 ? exitCode.partial : exitCode.failed;
  for (const { policyId: id, message } of failures)
    notify(world, fault("policy_unread", { policy: id, why: message }), code);
  if (policies.length === 0) return failures.length > 0 ? code : undefined;
  const { landing } = settings.home;
  const counts = await keepSnapshot(landing, connection, source.name, policies, world);
  const gone = policies.filter(({ body }) => body === null);
  const missing =
    gone.length === 0 ? "" : `, deleted: ${gone.map((one) => one.policy_id).join(", ")}`;
  await newStreamSink(world.stdout, world.signal)(formatMoved(counts.moved));
  print(
    `${policies.length} ${policies.length === 1 ? "policy" : "policies"} at ${source.name}: ${formatCount(counts.inForce, "permission")} in force, ${counts.began} new, ${counts.ended} ended${missing}`,
  );
  return undefined;
}

// What began (+) and ended (-), policy by policy.
function formatMoved(moved: readonly ChangedPolicy[]): string {
  return [...Map.groupBy(moved, ({ policyId }) => policyId)]
    .map(([id, own]) => {
      const listMoved = (isGranted: boolean): ChangedPolicy["grant"][] =>
        own.filter((one) => one.isGranted === isGranted).map(({ grant }) => grant);
      return `policy ${id}\n${changeLines({ added: listMoved(true), removed: listMoved(false), kept: [] })}`;
    })
    .join("");
}

/**
 * Throws AuditlakeError if all policies seem to be deleted, or all rights of several. A wrong base_url makes every
 * policy look deleted, and a faulty answer every set look empty, which must not be recorded as their end.
 */
export function refuseAllGone(
  { policies, failures }: PoliciesRead,
  known: ReadonlyMap<string, KnownPolicy>,
): void {
  if (policies.length > 1 && failures.length === 0 && policies.every(({ body }) => body === null))
    throw new AuditlakeError(
      `the service knows none of the ${policies.length} policies (404 each); nothing was stored; check base_url, or name the ids if all of them were deleted`,
    );
  const losing = policies.filter(({ policy_id: id }) => known.get(id)?.hasRights);
  if (losing.length > 1 && policies.every(({ body }) => isEmpty(body)))
    throw new AuditlakeError(
      `${losing.length} policies would lose all permissions at the same time; nothing was stored; check with policy get, and name the ids if they have no permissions`,
    );
}

function isEmpty(body: string | null): boolean {
  return body === null || listGrants(parseSet(body)).length === 0;
}
