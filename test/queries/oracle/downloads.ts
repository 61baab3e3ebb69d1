import { listChanges, type Change } from "./changes.ts";
import { isFullAccess } from "./permissions.ts";
import { membersAt } from "./policies.ts";
import { isDenial } from "./classify.ts";
import { listFacts, shownBy, type Fact } from "./record.ts";
import {
  distinct,
  hourMs,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  sum,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";

const isDownload = (f: Fact): boolean =>
  f.canonical === "job_result_download" && f.outcome === "succeeded";
const toBytes = (group: readonly Fact[]): number => sum(group.map((f) => f.number("bytesize")));

/** Result downloads by actor. */
export const resultDownloads: Oracle = (records, users, params) => {
  const downloads = listFacts(records, users).filter(
    (f) => isDownload(f) && within(params, f.time),
  );
  const rows = rowsBy(
    downloads,
    (f) => [f.actor],
    (group) => ({
      actor: group[0].actor,
      downloads: group.length,
      bytes: toBytes(group),
      jobs: distinct(group.map((f) => f.text("resource_id"))),
      largest_bytes: Math.max(...group.map((f) => f.number("bytesize") ?? 0)),
      client_downloads: group.filter((f) => f.text("format")?.startsWith("msgpack")).length,
      addresses: distinct(group.map((f) => (f.ip === "internal" ? null : f.ip))),
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sort(rows, "-bytes -downloads actor");
};

/** The job whose result an export takes; the service names its own job for the export in resource_id. */
export function exportedJob(f: Fact): string | null {
  if (!/^job_result_export(_failed)?$/.test(f.canonical ?? "")) return null;
  const [, fromPath] = /\/result_export\/([^/?#.]+)/.exec(f.path ?? "") ?? [];
  return fromPath ?? (f.text("target_resource_id") || f.text("resource_id") || null);
}

/** Result exports by connection and actor. */
export const resultExports: Oracle = (records, users, params) => {
  const target = (f: Fact) => ({
    connection: f.text("target_connection") || "not recorded",
    actor: f.actor,
  });
  const exports = listFacts(records, users).filter(
    (f) => within(params, f.time) && /^job_result_export(_failed)?$/.test(f.canonical ?? ""),
  );
  const rows = rowsBy(
    exports,
    (f) => Object.values(target(f)),
    (group) => ({
      ...target(group[0]),
      exports: group.filter((f) => f.outcome === "succeeded").length,
      failed: group.filter(isDenial).length,
      jobs: distinct(group.map(exportedJob)),
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sort(rows, "-exports -failed connection actor");
};

type Receipt = { readonly change: Change; readonly userId: string; readonly policy: string | null };

/** Users who were given rights, by name or through their policy, and what they downloaded in the hours after. */
export const grantThenDownload: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const downloads = facts.filter(isDownload);
  const receipts = listChanges(facts, users)
    .filter((c) => c.change === "granted" && within(params, c.fact.time))
    .flatMap((change) => listReceipts(change, facts));
  const events = new Map(facts.map((f, i) => [f, i]));
  const rows = rowsBy(
    receipts,
    (r) => [events.get(r.change.fact)!, r.userId, r.policy],
    (group) => {
      const { change, userId, policy } = group[0];
      const after = downloads.filter(
        (f) =>
          shownBy(f, users).includes(userId) &&
          f.time >= change.fact.time &&
          f.time - change.fact.time < Number(params["hours"]) * hourMs,
      );
      if (after.length < Math.max(Number(params["downloads"]), 1)) return null;
      return {
        ...downloadRow(change, after, shownBy(change.fact, users).includes(userId)),
        rights: group.length,
        full_access: group.some((r) => isFullAccess(r.change)),
        policy,
        user_id: userId,
      };
    },
  );
  return sort(
    rows,
    "granted_at actor granted_by rights downloads bytes first_download_at full_access to_self policy user_id",
  );
};

function listReceipts(change: Change, facts: readonly Fact[]): Receipt[] {
  if (change.subjectKind === "user")
    return change.subjectId === null ? [] : [{ change, userId: change.subjectId, policy: null }];
  const policy = change.subjectName ?? change.subjectId;
  return membersAt(facts, change.subjectId, change.fact.time).map((userId) => ({
    change,
    userId,
    policy,
  }));
}

function downloadRow({ fact }: Change, after: readonly Fact[], isBy: boolean): Row {
  const actor = after
    .map((f) => f.actor)
    .sort()
    .at(-1)!;
  return {
    granted_at: stamp(fact.time),
    actor,
    granted_by: fact.actor,
    downloads: after.length,
    bytes: toBytes(after),
    first_download_at: span(after.map((f) => f.time)).first_at,
    to_self: isBy || (fact.userId === null && actor === fact.actor),
  };
}
