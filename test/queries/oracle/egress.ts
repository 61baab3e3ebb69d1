import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  distinct,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  sum,
  within,
  type Oracle,
  type Params,
} from "./rows.ts";

function downloadsIn(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
): Fact[] {
  return listFacts(records, users).filter(
    (f) =>
      within(params, f.time) && f.canonical === "job_result_download" && f.outcome === "succeeded",
  );
}

const toBytes = (group: readonly Fact[]): number => sum(group.map((f) => f.number("bytesize")));

/** Downloads of results by UTC day. */
export const downloadsByDay: Oracle = (records, users, params) => {
  const day = (f: Fact): string => new Date(f.time).toISOString().slice(0, 10);
  const rows = rowsBy(
    downloadsIn(records, users, params),
    (f) => [day(f)],
    (group) => ({
      day: day(group[0]),
      downloads: group.length,
      bytes: toBytes(group),
      actors: distinct(group.map((f) => f.actor)),
      jobs: distinct(group.map((f) => f.text("resource_id"))),
      largest_bytes: Math.max(...group.map((f) => f.number("bytesize") ?? 0)),
    }),
  );
  return sort(rows, "day");
};

/** Actors who downloaded results in the range and not in the days before it. */
export const firstDownloads: Oracle = (records, users, params) => {
  const since = params.since - Number(params["days"] ?? 30) * dayMs;
  const rows = rowsBy(
    downloadsIn(records, users, { ...params, since }),
    (f) => [f.actor],
    (group) => {
      if (group.some((f) => f.time < params.since)) return null;
      const { first_at, last_at } = span(group.map((f) => f.time));
      return {
        first_at,
        actor: group[0].actor,
        downloads: group.length,
        bytes: toBytes(group),
        last_at,
        user_id: largestId(group.map((f) => f.userId)),
      };
    },
  );
  return sort(rows, "first_at actor");
};

/** Events about connections. */
export const connectionChanges: Oracle = (records, users, params) => {
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time) && f.area === "Connection")
    .map((f) => ({
      event_time: stamp(f.time),
      actor: f.actor,
      event_name: f.canonical,
      connection: f.text("resource_name"),
      connection_id: f.text("resource_id"),
      attribute_name: f.text("attribute_name"),
      outcome: f.outcome,
      ip_address: f.ip,
      user_id: f.userId,
    }));
  return sort(
    rows,
    "event_time actor event_name connection connection_id attribute_name outcome ip_address user_id",
  );
};
