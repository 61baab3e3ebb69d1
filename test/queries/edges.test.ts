import { afterAll, beforeAll, expect, test } from "vitest";
import { readingTexts } from "../support/command.ts";
import { loadRecords, type Loaded } from "../support/load-records.ts";
import { oracles } from "./oracle/all.ts";
import { comparable } from "./oracle/comparable.ts";
import type { RawRecord, User } from "./oracle/record.ts";
import { reports, runReport } from "./run.ts";

// A range includes its first moment and excludes its last. The actor may be unknown, and two objects may have one
// name. The oracle of each report decides on its rows.
const minute = 60;
const since = Date.UTC(2026, 2, 2, 12) / 1000;
const until = since + 120 * minute;
const address = "192.0.2.1";
const names = [
  "ann",
  "bob",
  "cyd",
  "dan",
  "within",
  "them",
  "first",
  "last",
  "before",
  "nowhere",
  "mailed",
];
const users = names.map((name, i): User => ({ id: i + 1, email: `${name}@example.com` }));
const them = { user_id: 6, user_email: "them@example.com" };

type Made = Readonly<Record<string, unknown>>;
const idle = (time: number, more: Made): Made => ({ event_name: "job_kill", time, ...more });
const at = (minutes: number): number => since + minutes * minute;

// At each moment that a range may start or end with, or beside it.
const active = [
  idle(since, { user_id: 7, ip_address: address }),
  idle(until - 1, { user_id: 4, ip_address: address }),
  idle(until, { user_id: 8, ip_address: address }),
  idle(since - 1, { user_id: 9, ip_address: address }),
  idle(since - 2, { user_email: "Mailed@example.com" }),
  idle(at(1), { user_email: "WITHIN@example.com", ip_address: address.toUpperCase() }),
];

const newFailed = (minutes: number, more: Made): Made => ({
  event_name: "sign_in_failed",
  time: at(minutes),
  ...more,
});
const newSignedIn = (minutes: number, more: Made): Made => ({
  event_name: "sign_in",
  time: at(minutes),
  ...more,
});
// An account from many addresses, an address with many accounts, and neither known.
const signIns = [
  ...[1, 2, 3].map((i) => newFailed(10 + i, { ...them, ip_address: `198.51.100.${i}` })),
  newSignedIn(14, { ...them, ip_address: "198.51.100.9" }),
  ...[1, 2, 3].map((i) => newFailed(30 + i, { user_id: i, ip_address: "203.0.113.7" })),
  newSignedIn(34, { user_id: 4, ip_address: "203.0.113.7" }),
  ...[1, 2, 3].map((i) => newFailed(50 + i, { ip_address: "internal" })),
  newSignedIn(54, { ip_address: "internal" }),
  newSignedIn(55, { ip_address: "203.0.113.9" }),
];

// By them, by another user and by an unknown one, with an id and without one.
const actors = [them, { user_email: "THEM@example.com" }, { user_id: 3 }, { user_email: "x@y.z" }];
const touching = [...actors, {}].map((actor, i) =>
  idle(at(60 + i), { ...actor, affected_user_id: 6, affected_user: "them@example.com" }),
);

const manage = (ids?: string): string =>
  JSON.stringify({
    Databases: [{ operation: "manage", ...(ids === undefined ? {} : { ids, name: "shop" }) }],
  });
const grants = [
  { event_name: "permission_policy_modify", resource_id: "7", new_value: manage("3,4"), ...them },
  { event_name: "permission_policy_modify", resource_id: "8", new_value: manage() },
  ...actors.map((actor) => ({
    event_name: "permission_modify",
    affected_user_id: 6,
    new_value: manage(),
    ...actor,
  })),
  { event_name: "permission_policy_attach_user", resource_id: "7", affected_user_id: 6, ...them },
  { event_name: "permission_policy_attach_user", resource_id: "8", affected_user_id: 6 },
  { event_name: "permission_policy_modify", resource_id: "9", new_value: manage() },
].map((grant, i): Made => ({ time: at(70 + i), old_value: "{}", ...grant }));

// A user joins in the second in which the policy loses manage. A deleted one had one right by two shares.
const moved = [
  { event_name: "permission_policy_attach_user", resource_id: "9", affected_user_id: 2 },
  {
    event_name: "permission_policy_modify",
    resource_id: "9",
    old_value: manage(),
    new_value: "{}",
  },
  ...["5", "6"].map((database) => ({
    event_name: "database_permission_modify",
    resource_id: database,
    affected_user_id: 30,
    new_value: manage("1"),
  })),
].map((more): Made => ({ time: at(82), old_value: "{}", ...more }));
const gone: Made = { event_name: "user_delete", time: at(83), resource_id: "30" };

// A timeline names five tables, and counts those beyond.
const tables = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${i}`);
const reading = (count: number): string => `select n from ${tables(count).join(" join ")}`;
const writing = (count: number): string =>
  tables(count)
    .map((name) => `insert into ${name} select n from orders`)
    .join("; ");
const texts = [reading(7), writing(7), reading(5), writing(5), reading(6), writing(6)];
// Jobs that take just half an hour, a second less and a second more. The text of one comes with its end.
const jobs = [0, -1, 1, 0, 0, 0].flatMap((off, i) => {
  const job = { resource_id: `job-${i}`, ...them };
  const text = texts[i] ?? null;
  const isLate = i === 2;
  return [
    { event_name: "job_issue", time: at(80) + i, ...job, query_text: isLate ? null : text },
    {
      query_text: isLate ? text : null,
      event_name: "job_modify",
      time: at(110) + i + off,
      attribute_name: "status",
      new_value: "success",
      ...job,
    },
  ];
});

const records = [...active, ...signIns, ...touching, ...grants, ...moved, gone, ...jobs].map(
  (record, i): RawRecord => ({
    id: `e${i}`,
    ...record,
  }),
);

let loaded: Loaded;
beforeAll(async () => {
  loaded = await loadRecords(records, users, readingTexts);
});
afterAll(() => loaded.close());

const asked: readonly (readonly [
  report: string,
  own: Readonly<Record<string, string | number>>,
])[] = [
  ["failed_sign_ins_then_success", { failures: 3, minutes: 15 }],
  ["address_timeline", { address, days: 30 }],
  ["inactive_users", {}],
  ["user_timeline", { user: "6", days: 30 }],
  ["user_timeline", { user: "them@example.com", days: 30 }],
  ["full_access_granted", {}],
  ["permission_changes_list", {}],
  ["long_jobs", { minutes: 30 }],
];

test.each(asked)("%s %j", async (name, own) => {
  const range = { since: since * 1000, until: until * 1000 };
  const given = Object.entries({ ...range, ...own }).map(([key, value]): [string, string] => [
    key,
    key in range ? new Date(value).toISOString() : String(value),
  ]);
  const report = reports.find((one) => one.name === name)!;
  const { rows } = await runReport(loaded.connection, report, new Map(given));
  expect(rows.length).toBeGreaterThan(1);
  const expected = oracles[name]!(records, users, { ...range, ...own });
  expect(comparable(rows)).toEqual(comparable(expected));
});
