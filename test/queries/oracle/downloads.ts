import { numberIn } from "./hits.ts";
import { listHoldings, type Holding } from "./holdings.ts";
import { isFullAccess, type Right } from "./permissions.ts";
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

/** Rights that were given, used to download and taken back within hours. */
export const grantThenDownload: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const downloads = facts.filter(isDownload);
  const isOf = (f: Fact, h: Holding): boolean =>
    shownBy(f, users).some(
      (id) =>
        id !== null &&
        (h.subjectKind === "user"
          ? h.subjectId === id
          : membersAt(facts, h.subjectId, f.time).includes(id)),
    );
  const uses = listHoldings(facts).flatMap((h) => {
    const { from, to, grantedBy } = h;
    if (from === null || to === null || grantedBy === null || !within(params, to)) return [];
    if (to - from > numberIn(params, "hours", 24) * hourMs) return [];
    return downloads
      .filter((f) => f.time >= from && f.time <= to && isOf(f, h))
      .flatMap((f) =>
        shownBy(f, users)
          .filter((id) => isOf({ ...f, userId: id }, h))
          .map((id) => ({ from, to, grantedBy, f, id, right: h.right })),
      );
  });
  const rows = rowsBy(
    uses,
    ({ id, to }) => [id, to],
    (group) => {
      const own = [...new Set(group.map(({ f }) => f))];
      if (own.length < numberIn(params, "downloads", 1)) return null;
      return {
        event_time: stamp(group[0].to),
        actor: sortTexts(own.map((f) => f.actor)).at(-1)!,
        rights: new Set(group.map(({ right: r }) => textOfRight(r))).size,
        downloads: own.length,
        bytes: toBytes(own),
        granted_at: span(group.map(({ from }) => from)).first_at,
        granted_by: sortTexts(group.map(({ grantedBy }) => grantedBy))[0]!,
        first_download_at: span(own.map((f) => f.time)).first_at,
        full_access: group.some(({ right }) => isFullAccess(right)),
        user_id: group[0].id,
        account: null,
      };
    },
  );
  return sort(
    rows,
    "event_time actor rights downloads bytes granted_at granted_by first_download_at full_access user_id account",
  );
};

const textOfRight = ({ kind, operation, objectId, objectName }: Right): string =>
  JSON.stringify([kind, operation, objectId, objectName]);

const sortTexts = (texts: readonly string[]): string[] =>
  texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
