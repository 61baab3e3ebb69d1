import { newRandom, type Random } from "../../fixtures/random.ts";
import { catalog } from "../../schemas/generated/catalog.ts";
import type { RawRecord } from "./oracle/record.ts";

const start = Date.UTC(2026, 1, 28);

/** A range, milliseconds since the epoch, with records on both of its ends. */
export const hostileRange = {
  since: start + 600_000,
  until: start + 70_600_000,
  on: start + 70_000_000,
};

const jobNames = ["job_issue", "job_modify", "job_kill", "job_status_update_by_system"];
const names = catalog.entries
  .filter(
    ({ area, denialKind }) =>
      denialKind || /^(Account|Connection|Jobs|Permission|Queries|Database|User)$/.test(area),
  )
  .map((entry) => entry.event)
  .filter((name) => !jobNames.includes(name));
// Events that reports bring together with one another come up more often than the rest.
const frequent = [
  "database_permission_modify",
  "ip_whitelist_modify",
  "job_result_download",
  "job_result_download_denied",
  "permission_modify",
  "permission_policy_attach_user",
  "permission_policy_create",
  "permission_policy_detach_user",
  "permission_policy_modify",
  "sign_in",
  "sign_in_failed",
  "user_modify",
];
const further = [
  "schedule_run",
  "segment_create",
  "column_query",
  "column_unauthorized",
  "paas_sign_in",
  "x.column_visibility_violation",
  "sign_in_failed_tomorrow",
  "x_denied",
  "x_failed",
  null,
];

const values: readonly (string | null)[] = [
  null,
  "",
  " ",
  "query",
  "query, import",
  "full_access",
  "Full_Access,query",
  '{"full_access":true,"query":false}',
  "null",
  "none",
  "query,None",
  "TRUE",
  "t",
  "1",
  "0",
  '{"administrator":"F","account_owner":1}',
  "true",
  "false",
  "{",
  "{}",
  "[]",
  "[1,[2]]",
  '"edit"',
  '["query","edit"]',
  '{"administrator":true}',
  '{"administrator":false,"account_owner":true}',
  '{"query":true,"import":false,"x":null}',
  '{"Databases":[{"operation":"manage"}]}',
  '{"Databases":[{"operation":"query","ids":"1,2"},{"operation":"import","ids":"2"}]}',
  '{"Databases":[{"operation":"import","ids":2},{"operation":"query","ids":"2, 1"}]}',
  '{"Databases":[{"operation":"query","ids":["3","1"]},{"operation":"edit","ids":""}]}',
  '{"Databases":[{"operation":"manage","ids":null},{"ids":"4"},7,null],"a\\"b.c":[{"operation":"run","name":"daily_*"}]}',
  '{"Databases":[{"operation":"query","ids":"1","columns":["b","a"],"audience_id":5},{"operation":"edit","ids":"2","masking":"hash"}]}',
  '{"Databases":[{"audience_id":"5","columns":["a","b","a"],"operation":"query","ids":"1,2"},{"operation":"edit","ids":"2","masking":null}]}',
  '{"Databases":[{"operation":"query","audience_id":6,"x:y":[";"]}],"Segments":[{"operation":"view","id":3,"ids":"","limit":{"rows":1}}]}',
  '{"Databases":{"operation":"manage"},"Workflows":[{"operation":"manage","id":9}],"n":"text"}',
  "running",
  "success",
  '"Error"',
  "killed",
  "10.0.0.1/32",
];

/** Records that no service should send but some do: odd values, few people, many in one second. */
export function hostileRecords(seed: number, count: number): RawRecord[] {
  const random = newRandom(seed, "hostile records");
  const records = Array.from({ length: count }, (_, i) => hostileRecord(random, i));
  const ids = newRandom(seed, "ids of several records");
  // Ids of records that differ as much as their times do.
  const named = records.map((record) =>
    "id" in record && ids.chance(0.04) ? { ...record, id: `id ${ids.int(1, 9)}` } : record,
  );
  const undone = newRandom(seed, "changes undone");
  return named.flatMap((record) => [record, ...undoing(record, undone)]);
}

// What some changes of rights do, another record of their second undoes.
function undoing(record: RawRecord, random: Random): RawRecord[] {
  const name = opposite[String(record["event_name"])];
  if (name === undefined || random.chance(0.5)) return [];
  const { id: _, old_value, new_value, ...rest } = record;
  return [
    { ...rest, event_name: name, old_value: new_value ?? null, new_value: old_value ?? null },
  ];
}

const opposite: Readonly<Record<string, string>> = {
  permission_policy_attach_user: "permission_policy_detach_user",
  permission_policy_modify: "permission_policy_modify",
  database_permission_modify: "database_permission_modify",
  permission_policy_create: "permission_policy_delete",
};

function hostileRecord(random: Random, index: number): RawRecord {
  const isJob = random.chance(0.25);
  const others = random.pick([frequent, frequent, names, names, further]);
  const name = random.pick(isJob ? jobNames : others);
  // Two events of one job in one second have no order; everything else may crowd.
  const seconds = isJob ? 600 + index * 50 : crowded(random);
  const jobId = random.pick([null, random.int(1, 40), String(random.int(1, 40))]);
  return {
    ...(random.chance(0.7) ? { id: random.uuid() } : {}),
    time: timeForm(random, start / 1000 + seconds),
    event_name: name,
    event_result: random.chance(0.8)
      ? null
      : random.pick(["denied", "Denied", "x", "failed", "Error", "unauthorized", " ", "ok"]),
    ...request(random, name),
    user_id: random.pick([null, 1, 2, "2", 3, 99]),
    user_email: random.pick([
      null,
      null,
      "",
      "ann@example.com",
      "Ann@Example.com",
      "eve@example.com",
    ]),
    ip_address: random.pick([null, "internal", "10.0.0.1", "10.0.0.2", "2001:db8::1", "somewhere"]),
    resource_id: isJob ? jobId : random.pick([null, "1", "2", 3]),
    // Databases take turns with the names that jobs and texts know.
    resource_name: random.pick(
      name?.startsWith("database_")
        ? [null, "crm", "Sales", "sales", "plain"]
        : [null, "crm.7", "sales.8", "plain", "a.b.c"],
    ),
    affected_user_id: random.pick([null, 1, "2", 3, 99, 77]),
    affected_user: random.pick([null, "ann@example.com", "Ann"]),
    attribute_name: random.pick([null, "status", "administrator", "name"]),
    old_value: random.pick(values),
    new_value: random.pick(values),
    target_resource_id: random.pick([null, "t1", "12", ""]),
    target_resource_name: random.pick([null, "bucket", "sales.12", "crm.t1"]),
    target_connection: random.pick([null, null, "", "bucket", "s3"]),
    bytesize: random.pick([null, 0, 199_999_999, 200_000_000, 5_000_000_000, "12"]),
    format: random.pick([null, "csv", "msgpack.gz"]),
    query_text: random.pick([
      null,
      "",
      "select 1",
      "drop table Sales.orders",
      "delete from orders where email = 'from a.b'",
      "insert into crm.leads select * from Sales.orders",
      "-- from a.b\\nselect email, n from orders where phone > 1",
      "SELECT * FROM a JOIN b\nON naïve = '😀' join c",
    ]),
    scheduled_time: random.pick([null, null, 1_772_000_000]),
    visibility: random.pick([null, "pii"]),
    required_visibility: random.pick([null, "clear"]),
  };
}

// Around the ends of the range, on them more often than not.
function crowded(random: Random): number {
  const end = random.pick([600, 70_600]);
  return random.chance(0.3) ? end : end + 60 * random.int(-10, 30) + random.int(0, 3);
}

function timeForm(random: Random, seconds: number): number | string {
  const form = random.int(0, 3);
  if (form === 0) return seconds * 1000;
  return form === 1 ? new Date(seconds * 1000).toISOString() : seconds;
}

// One of the operations documented for the event, another event's, or none.
function request(random: Random, name: string | null): RawRecord {
  const own = catalog.entries.filter((entry) => entry.event === name || random.chance(0.003));
  const operations = own.flatMap((entry) => entry.operations);
  if (operations.length === 0 || random.chance(0.1)) return {};
  const { verb, path } = random.pick(operations);
  const filled = path.replace(/:\w+(\.\w+)?|\{\w+\}|\*/g, () => random.pick(["12", "crm", "a-b"]));
  return {
    requested_http_verb: verb,
    requested_path_info: filled + random.pick(["", ".json", "?x=1", "/"]),
  };
}
