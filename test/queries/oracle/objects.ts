import { listActivities } from "./jobs.ts";
import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  sum,
  within,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";
import { destructiveUses } from "./tables.ts";

// Reports on data and objects that come, go and change.

function factsIn(records: readonly RawRecord[], users: readonly User[], params: Params): Fact[] {
  return listFacts(records, users).filter((f) => within(params, f.time));
}

const getName = (f: Fact): string => f.canonical ?? f.name ?? "";

const head = (f: Fact) => ({ event_time: stamp(f.time), actor: f.actor });
const origin = (f: Fact) => ({ ip_address: f.ip, resource_id: f.text("resource_id") });

/** Exports of whole tables, with the end of their jobs. */
export const tableExports: Oracle = (records, users, params) => {
  const jobs = listActivities(listFacts(records, users)).filter(({ kind }) => kind === "job");
  const rows = factsIn(records, users, params).flatMap((f): Row[] => {
    const isRequest = f.operation === "POST /v3/export/run/:database_name/:table_name";
    const isJob = f.canonical === "job_issue" && /^exportjob$/i.test(f.text("job_type") ?? "");
    if (!isRequest && !isJob) return [];
    const id = f.text("resource_id");
    const { ip_address } = origin(f);
    return [
      {
        ...head(f),
        ...exportedTable(f, isRequest),
        outcome: f.outcome,
        job_status: jobs.find(({ objectId }) => objectId === id)?.status ?? null,
        ip_address,
        job_id: id,
        user_id: f.userId,
      },
    ];
  });
  return sort(
    rows,
    "event_time actor database_name table_name outcome job_status ip_address job_id user_id",
  );
};

function exportedTable(f: Fact, isRequest: boolean): Row {
  const target = f.text("target_table") ?? "";
  const inPath = isRequest ? /export\/run\/([^/?]*)(?:\/([^/?.]*))?/.exec(f.path ?? "") : null;
  const [database, table] = target.includes(".")
    ? [target.slice(0, target.indexOf(".")), target.slice(target.indexOf(".") + 1)]
    : [inPath?.[1] || getDatabase(f), target || (inPath?.[2] ?? null)];
  return {
    database_name: database?.toLowerCase() ?? null,
    table_name: table?.toLowerCase() ?? null,
  };
}

// Of a job, by its name.
function getDatabase(f: Fact): string | null {
  const name = f.text("target_table") ?? f.text("resource_name") ?? "";
  return (name.includes(".") && name.slice(0, name.indexOf("."))) || null;
}

const partsOfImports = ["bulk_import_delete_part", "bulk_import_delete_all_part"];
const endings: Readonly<Record<string, string>> = {
  success: "succeeded",
  finished: "succeeded",
  error: "failed",
  failed: "failed",
  killed: "failed",
};

/** What requests and queries delete. */
export const deletions: Oracle = (records, users, params) => {
  const byEvent = factsIn(records, users, params)
    .filter(
      (f) =>
        /(?:delete|destroy)$/.test(getName(f)) ||
        ["partial_delete_create", "table_swap", ...partsOfImports].includes(f.canonical ?? ""),
    )
    .map((f): Row => {
      const places = ["resource_name", "target_table", "resource_id"].map((name) => f.text(name));
      const [name, target, id] = places;
      const [first, second] = f.canonical === "partial_delete_create" ? [target, name] : places;
      const isSwap = f.canonical === "table_swap";
      const swapped = f.text("target_resource_name") ?? f.text("target_resource_id");
      return {
        ...head(f),
        way: "event",
        deletion: getName(f),
        object: first ?? second ?? id ?? null,
        swapped_with: isSwap ? swapped : null,
        outcome: f.outcome,
        area: f.area,
        ip_address: f.ip,
        object_id: id ?? null,
        user_id: f.userId,
      };
    });
  const bySql = destructiveUses(records, users, params).map(
    ({ job, kind, database, table }): Row => ({
      event_time: stamp(job.time),
      actor: job.actor,
      way: "sql",
      deletion: kind,
      object: [database, table].filter((name) => name !== null).join("."),
      swapped_with: null,
      outcome: endings[job.status ?? ""] ?? "unknown",
      area: "Jobs",
      ip_address: job.ip,
      object_id: job.objectId,
      user_id: job.userId,
    }),
  );
  return sort(
    [...byEvent, ...bySql],
    "event_time actor way deletion object swapped_with outcome area ip_address object_id user_id",
  );
};

const ways: readonly (readonly [RegExp, string])[] = [
  [/^table_(?:import_create|insert_finished)$/, "rows"],
  [/^bulk_import_(?:create|create_part|modify|finished)$/, "bulk import"],
  [/^(?:file_upload_import_(?:create|old_console)|web_upload_import_finished)$/, "upload"],
  [/^data_transfer_(?:create|run)$/, "transfer"],
];

function getWay(f: Fact): string | undefined {
  const isLoad =
    f.text("job_type")?.toLowerCase() === "bulkloadjob" ||
    f.operation === "POST /v3/connections/:connection_id/tables/:table_id/bulk_loads";
  if (f.canonical === "job_issue") return isLoad ? "transfer" : undefined;
  return ways.find(([pattern]) => pattern.test(f.canonical ?? ""))?.[1];
}

const getDestination = (f: Fact): string =>
  f.text("target_table") || f.text("resource_name") || (f.text("resource_id") ?? "not recorded");

/** Imports by actor, way, event and table. */
export const dataImports: Oracle = (records, users, params) => {
  const rows = rowsBy(
    factsIn(records, users, params).filter((f) => getWay(f) !== undefined),
    (f) => [f.actor, getWay(f)!, getName(f), getDestination(f)],
    (group) => {
      const amounts = group.map((f) => f.number("amount")).filter((amount) => amount !== null);
      return {
        actor: group[0].actor,
        way: getWay(group[0])!,
        event_name: getName(group[0]),
        destination: getDestination(group[0]),
        events: group.length,
        refused: group.filter(({ outcome }) => outcome === "denied" || outcome === "failed").length,
        imported_rows: amounts.length === 0 ? null : sum(amounts),
        ...span(group.map((f) => f.time)),
        user_id: largestId(group.map((f) => f.userId)),
      };
    },
  );
  return sort(rows, "-events actor way event_name destination");
};

const notCreated = [
  "partial_delete_create",
  "table_import_create",
  "file_upload_import_create",
  "bulk_import_create",
  "workflow_attempt_create",
  "segment_insight_query_create",
  "segment_campaign_insight_query_create",
];

/** Who created what. */
export const createdObjects: Oracle = (records, users, params) => {
  const rows = factsIn(records, users, params)
    .filter(
      (f) =>
        !notCreated.includes(getName(f)) &&
        (/(?:create|clone|duplicate)$/.test(getName(f)) ||
          ["journey_bundle_new_journey", "user_apikey_generate"].includes(f.canonical ?? "")),
    )
    .map((f): Row => ({
      ...head(f),
      area: f.area,
      event_name: getName(f),
      object: f.text("resource_name") ?? f.text("resource_id") ?? "not recorded",
      outcome: f.outcome,
      ...origin(f),
      user_id: f.userId,
    }));
  return sort(
    rows,
    "event_time actor area event_name object outcome ip_address resource_id user_id",
  );
};
