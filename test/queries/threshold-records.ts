import { globSync, readFileSync } from "node:fs";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { catalog } from "../../schemas/generated/catalog.ts";
import { dataRecords } from "./data-records.ts";
import type { RawRecord, User } from "./oracle/record.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 2, 10, 6);
// All events and parameters are at these moments. So each is an end of ranges, and of the days and hours before and
// after something.
export const moments = Array.from({ length: 18 }, (_, i) => start + i * 6 * hourMs);

// Of those that reports name, and a few that they count only.
const texts = globSync("queries/{reports,parts,derived,views}/**/*.sql").map((file) =>
  readFileSync(file, "utf8"),
);
const named = catalog.entries
  .filter(
    ({ event, area, denialKind }) =>
      denialKind !== null ||
      area === "Zero-copy" ||
      texts.some((text) => text.includes(`'${event}'`)),
  )
  .map(({ event }) => event);
const columnDenials = named.filter((event) => event.endsWith("column_visibility_violation"));
// What reports bring together with one another comes up more often than the rest.
const frequent = [
  "connection_create",
  "data_transfer_run",
  "database_create",
  "database_delete",
  "database_permission_modify",
  "ip_whitelist_modify",
  "job_result_download",
  "permission_modify",
  "permission_policy_attach_user",
  "permission_policy_attach_user",
  "permission_policy_create",
  "permission_policy_delete",
  "permission_policy_detach_user",
  "permission_policy_modify",
  "permission_policy_modify",
  "sign_in",
  "sign_in_failed",
  "user_apikey_generate",
  "user_modify",
  "workflow_email_send",
  "workflow_http_call",
];
const kinds = [
  ...named.filter((event) => !columnDenials.includes(event)),
  ...columnDenials.slice(0, 2),
  ...frequent,
  ...frequent,
  ...frequent,
  "odd",
  null,
];

export const thresholdUsers: readonly User[] = [
  { id: 1, email: "Ann@example.com" },
  { id: 2, email: "svc-load@example.com", administrator: true },
  { id: 3, email: "cyd@example.com" },
  { id: 4, email: "idle@example.com", account_owner: true },
  ...Array.from({ length: 10 }, (_, i) => ({ id: 11 + i, email: `user-${i}@example.com` })),
];

// Databases of which only the deletion is recorded.
const gone = Array.from({ length: 15 }, (_, i) => `${80 + i}`);
const sets = [
  "{}",
  "{}",
  '{"Databases":[{"operation":"manage"}]}',
  '{"Databases":[{"operation":"query","ids":"1,2"}]}',
  '{"Databases":[{"operation":"query","ids":"1"},{"operation":"download"},{"operation":"owner_manage"}]}',
  '{"Databases":[{"operation":"import","ids":"2,3"},{"operation":"manage"}]}',
  `{"Databases":[{"operation":"edit","ids":"${gone.join()}"}]}`,
  "no set",
];
const shared = [null, "query", "query, import", "none"];
const flags = ["true", "false", '{"administrator":true}', '{"administrator":false}', null];
const queries = [
  "select email, n from sales.orders",
  "select * from sales.orders",
  "select phone from orders",
  "insert into crm.leads select id from sales.orders",
  "insert overwrite table crm.leads select id from sales.orders",
  "delete from crm.leads where email = 'x'",
  "truncate table leads",
  "alter table crm.leads drop column x",
  "drop table crm.leads",
  "select n from t1 join t2 on 1 = 1",
  "select 1 from a.t1 cross join a.t2 cross join a.t3 cross join a.t4 cross join a.t5 cross join a.t6 cross join a.t7",
  null,
];
const mails = [
  null,
  "ann@example.com",
  "Bob <bob@other.example>",
  '["a@example.com","b@other.example"]',
  "c@example.com; d@example.com e@example.com",
  "x@example.com.other",
  "'y@example.com'",
];

// A recorded call is mostly one that the reference does not list.
const calls: readonly RawRecord[] = [
  {},
  {},
  {},
  { requested_http_verb: "POST", requested_path_info: "/odd/1" },
  { requested_http_verb: "POST", requested_path_info: "/v3/job/result_export/1001.json?x=1" },
];

/** Records on few moments, a second beside them at most, by few people and about few things. */
export function thresholdRecords(seed: number, each: number): RawRecord[] {
  const random = newRandom(seed, "thresholds");
  const records = kinds.flatMap((event) =>
    Array.from({ length: each }, () => makeRecord(random, event)),
  );
  return [
    ...records.map((record, i) => ({ ...record, ...makeNewThings(i) })),
    ...Array.from({ length: 20 * each }, (_, i) => makeJob(random, i)).flat(),
    ...Array.from({ length: 8 * each }, (_, i) => makeSequel(random, i)).flat(),
    ...dataRecords(newRandom(seed, "data jobs"), 5 * each, whoAndWhen),
    ...Array.from({ length: 2 * each }, (_, i) =>
      makeNewcomer(newRandom(seed, `newcomer ${i}`), `${31 + i}`),
    ).flat(),
  ];
}

// Many of them, so that some are new at each moment.
function makeNewThings(i: number): RawRecord {
  const url = `https://ann:x@H${i % 97}.example.com:8443/x`;
  return {
    event_detail: i % 3 === 0 ? { url, method: "POST" } : `POST ${url}`,
    docker_image: `r.example.com:5000/image-${i % 97}:${i % 3}`,
    mail_bcc: i % 2 === 0 ? `x@d${i % 97}.example.com` : null,
  };
}

function makeRecord(random: Random, event: string | null): RawRecord {
  return {
    ...makeId(random),
    event_name: event,
    ...whoAndWhen(random),
    ...random.pick(calls),
    event_result: random.chance(0.05) ? random.pick(["denied", " Denied "]) : null,
    resource_id: random.pick(listIds(event)),
    resource_name: random.pick(
      event === "user_invite"
        ? [null, "eve@other.example", "Mia@EXAMPLE.com", "kim@mail.example.com", "plain", "x@"]
        : [null, "crm", "sales", "sales.orders", "crm.leads", "plain"],
    ),
    affected_user_id: affectedIn(random, event),
    affected_user: random.chance(0.3) ? "ann@example.com" : null,
    attribute_name: event === "user_modify" ? "administrator" : random.pick([null, "status"]),
    old_value: makeValue(random, event),
    new_value: makeValue(random, event),
    target_resource_id: random.pick([null, "1", "2", "3"]),
    target_resource_name: random.pick([null, "bucket", "sales.1001", "crm.2"]),
    target_connection: random.pick([null, "1", "2", "sales"]),
    bytesize: random.pick([null, null, 0, 199_999_999, 200_000_000, 200_000_001]),
    mail_subject: random.pick([null, "Daily"]),
    mail_to: random.pick(mails),
    mail_cc: random.pick(mails),
    mail_bcc: random.pick(mails),
    visibility: random.pick([null, "pii"]),
  };
}

// Some are no different from others but by what they say, and some are the same as others by their ids alone.
function makeId(random: Random): RawRecord {
  if (random.chance(0.2)) return {};
  return { id: random.chance(0.02) ? `id ${random.int(1, 2)}` : random.uuid() };
}

function makeValue(random: Random, event: string | null): string | null {
  if (event === "user_modify") return random.pick(flags);
  if (event === "database_permission_modify") return random.pick(shared);
  return random.pick(/permission/.test(event ?? "") ? sets : [null, "x"]);
}

// Members are few, and of those who hold rights of their own many hold the same for long.
function affectedIn(random: Random, event: string | null): number | null {
  const isMember = event?.startsWith("permission_policy") === true;
  return !isMember && random.chance(0.6) ? random.int(11, 30) : random.pick([null, 1, 2, 3, 5, 6]);
}

function listIds(event: string | null): (string | null)[] {
  if (event === "database_delete") return gone;
  const few = [null, ..."1122345"];
  return event?.startsWith("permission_policy")
    ? [...few, ...Array.from("12345678", (d) => `3${d}`)]
    : few;
}

function whoAndWhen(random: Random): RawRecord {
  const addresses = Array.from({ length: 12 }, (_, i) => `192.0.2.${i}`);
  return {
    time: random.pick(moments) / 1000 + random.pick([0, 0, 0, -1, 1]),
    user_id: random.pick([null, 1, 2, 3, 5, 6, 7]),
    user_email: random.pick([
      null,
      null,
      null,
      "ann@example.com",
      "Eve@example.com",
      "idle@example.com",
    ]),
    ip_address: random.chance(0.1)
      ? `10.0.0.${random.int(1, 99)}`
      : random.pick([null, "internal", ...addresses]),
  };
}

// Jobs that end as long after their beginning as is asked, or a second beside it.
function makeJob(random: Random, i: number): RawRecord[] {
  const begin: RawRecord = {
    ...whoAndWhen(random),
    resource_id: `${1000 + i}`,
    resource_name: random.pick(["sales", "crm"]),
  };
  return [
    { id: random.uuid(), event_name: "job_issue", ...begin, query_text: random.pick(queries) },
    {
      ...begin,
      id: random.uuid(),
      event_name: "job_modify",
      time: Number(begin["time"]) + 6 * 3600 + random.pick([-1, 0, 1]),
      attribute_name: "status",
      old_value: "running",
      new_value: random.pick(["success", "error", "killed", "failed"]),
    },
  ];
}

const beginnings: readonly RawRecord[] = [
  { event_name: "ip_whitelist_modify" },
  { event_name: "user_apikey_generate" },
  { event_name: "user_modify", attribute_name: "administrator", new_value: "true" },
  { event_name: "permission_modify", new_value: sets[2] },
];

// Makes a grant to a user, and the user's later action from a separate address after the requested time.
function makeSequel(random: Random, i: number): RawRecord[] {
  const time = random.pick(moments) / 1000;
  const user = random.int(11, 20);
  const own = { user_id: user, ip_address: `198.51.100.${i}` };
  const first = { ...random.pick(beginnings), affected_user_id: user, resource_id: `${user}` };
  const steps = Array.from({ length: random.int(1, 3) }, (): RawRecord => {
    const later = random.pick([0, 0, 6, 12, 24]) * 3600 + random.pick([0, 0, -1, 1]);
    const event_name = random.pick(["sign_in", "job_result_download"]);
    return { ...own, id: random.uuid(), event_name, time: time + later, bytesize: 1 };
  });
  return [{ ...own, ip_address: "192.0.2.1", id: random.uuid(), time, ...first }, ...steps];
}

// Makes an invitation, and the promotion of whom it names some hours later.
function makeNewcomer(random: Random, user: string): RawRecord[] {
  const time = random.pick(moments) / 1000;
  const later = random.pick([0, 6, 12, 24]) * 3600 + random.pick([0, 0, -1, 1]);
  const shared = {
    ...whoAndWhen(random),
    resource_id: user,
    resource_name: `u${user}@example.com`,
  };
  return [
    { ...shared, id: random.uuid(), event_name: "user_invite", time },
    {
      ...shared,
      id: random.uuid(),
      event_name: "user_modify",
      attribute_name: "administrator",
      old_value: "false",
      new_value: "true",
      time: time + later,
    },
  ];
}
