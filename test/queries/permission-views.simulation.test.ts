import { afterEach, expect, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// Values as no service should send them but some do, and the edges of what holds from when to when.
const homes: TestHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

type Fields = Readonly<Record<string, unknown>>;
const start = Date.UTC(2026, 2, 2, 12) / 1000;

/** A record that an administrator caused, so many minutes after noon. */
function at(minute: number, event_name: string, fields: Fields): Fields {
  const who = { user_id: 1, user_email: "root@example.com", ip_address: "192.0.2.1" };
  return {
    id: `${minute} ${event_name} ${JSON.stringify(fields)}`,
    time: start + 60 * minute,
    event_name,
    ...who,
    ...fields,
  };
}

function edit(minute: number, old_value: unknown, new_value: unknown, fields: Fields = {}): Fields {
  const policy = { resource_id: "7", resource_name: "Analysts", attribute_name: "permissions" };
  return at(minute, "permission_policy_modify", { ...policy, old_value, new_value, ...fields });
}

const joins = (minute: number, user: number): Fields =>
  at(minute, "permission_policy_attach_user", { ...analysts, affected_user_id: user });
const leaves = (minute: number, user: number): Fields =>
  at(minute, "permission_policy_detach_user", { ...analysts, affected_user_id: user });
const analysts = { resource_id: "7", resource_name: "Analysts" };
const set = (...entries: readonly string[]): string =>
  JSON.stringify({
    Databases: entries.map((entry) => {
      const [operation, ids] = entry.split(":");
      return ids === undefined ? { operation } : { operation, ids };
    }),
  });

async function load(records: readonly Fields[], users?: readonly Fields[]): Promise<TestHome> {
  const home = await homeWithWarehouse();
  homes.push(home);
  const more = users ? ["--users", home.write("users.json", JSON.stringify({ users }))] : [];
  const file = home.write("records.ndjson", records.map((r) => `${JSON.stringify(r)}\n`).join(""));
  expect(await home.run(["import", file, ...more])).toMatchObject({ code: 0 });
  return home;
}

const spans = (home: TestHome): Promise<Row[]> =>
  home.rows(`
    select subject_id, operation, object_id,
        strftime(valid_from, '%H:%M') as valid_from, strftime(valid_to, '%H:%M') as valid_to
    from permission_spans order by all`);
const span = (
  subject_id: string,
  operation: string,
  object_id: string | null,
  valid_from: string | null,
  valid_to: string | null,
): Row => ({
  subject_id,
  operation,
  object_id,
  valid_from,
  valid_to,
});

test("a set in another order, with its ids in another order, is not a change", async () => {
  const home = await load([
    edit(0, set("query:1,2", "edit:3"), set("edit:3", "query:2,1")),
    edit(1, set("query:1,2"), '{"Databases":[{"operation":"query","ids":["2","1"]}]}'),
    edit(2, set("query:1"), '{"Databases":[{"operation":"query","ids":1}]}'),
  ]);
  expect(await home.rows("select * from permission_changes")).toEqual([]);
});

const unreadable: readonly unknown[] = [
  "{",
  '{"Databases":[{"operation":"query","ids":"1',
  "a set",
  "7",
  '"query"',
  "[[1]]",
  '{"Databases":7}',
  '{"Databases":[{"ids":"1"}]}',
  '{"Databases":[{"operation":5}]}',
  '{"Databases":[{"operation":"query","ids":{"a":1}}]}',
  "\u0000\uFFFF",
  `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`,
];

test("an unreadable new value is stored and marked, with any content", async () => {
  const before = set("query:1");
  // A policy for each value.
  const policies = unreadable.map((_, i) => String(100 + i));
  const home = await load(
    unreadable.flatMap((value, i) => {
      const policy = { resource_id: policies[i] };
      return [
        edit(0, "{}", before, policy),
        edit(1, before, value, policy),
        edit(3, set("query:2"), set("query:2", "import:3"), policy),
      ];
    }),
  );
  const marked = await home.rows(
    "select strftime(event_time, '%M') as minute, subject_kind, subject_id, actor_email, ip_address, operation, old_value, new_value from permission_changes where change = 'unparsed' order by subject_id",
  );
  const by = { actor_email: "root@example.com", ip_address: "192.0.2.1", operation: null };
  const kept = { minute: "01", subject_kind: "policy", old_value: before, ...by };
  expect(marked).toEqual(
    unreadable.map((new_value, i) => ({ ...kept, subject_id: policies[i], new_value })),
  );
  const moved = await home.rows(
    "select subject_id, strftime(event_time, '%M') as minute, change, operation, database_id from permission_changes where change <> 'unparsed' order by all",
  );
  expect(moved).toEqual(
    policies.flatMap((subject_id) => [
      { subject_id, minute: "00", change: "granted", operation: "query", database_id: "1" },
      { subject_id, minute: "03", change: "granted", operation: "import", database_id: "3" },
    ]),
  );
  expect(await spans(home)).toEqual(
    policies.flatMap((policy) => [
      span(policy, "import", "3", "12:03", null),
      span(policy, "query", "1", "12:00", "12:03"),
      span(policy, "query", "2", "12:03", null),
    ]),
  );
});

test("an unreadable old value is marked; the new one applies from then on", async () => {
  const home = await load([edit(0, "{", set("query:1"))]);
  expect(await home.rows("select change, old_value from permission_changes")).toEqual([
    { change: "unparsed", old_value: "{" },
  ]);
  expect(await spans(home)).toEqual([span("7", "query", "1", "12:00", null)]);
});

test("the readable part of a value counts, and the rest is marked", async () => {
  const value = '{"Databases":[{"operation":"manage"},7],"version":"3"}';
  const home = await load([edit(0, "{}", value)]);
  expect(await home.rows("select change, operation from permission_changes order by all")).toEqual([
    { change: "granted", operation: "manage" },
    { change: "unparsed", operation: null },
  ]);
});

test("a policy that is named like a set grants nothing", async () => {
  const home = await load([
    edit(0, "Analysts", set("manage"), { attribute_name: "name" }),
    edit(1, null, set("manage"), { attribute_name: "Description" }),
  ]);
  expect(await home.rows("select * from permission_changes")).toEqual([]);
  expect(await spans(home)).toEqual([]);
});

test("the state before the first change is what that found, and a first removed member was there before", async () => {
  const home = await load([edit(5, set("manage", "query:1"), set("query:1")), leaves(6, 20)]);
  expect(await spans(home)).toEqual([
    span("20", "member", "7", null, "12:06"),
    span("7", "manage", null, null, "12:05"),
    span("7", "query", "1", null, null),
  ]);
});

test("a permission that the first change of a policy found exists since the policy was created", async () => {
  const home = await load([
    at(0, "permission_policy_create", analysts),
    edit(5, set("query:1"), set("manage")),
    leaves(6, 20),
  ]);
  expect(await spans(home)).toEqual([
    span("20", "member", "7", "12:00", "12:06"),
    span("7", "manage", null, "12:05", null),
    span("7", "query", "1", "12:00", "12:05"),
  ]);
});

test("a policy's deletion ends its rights and memberships, once", async () => {
  const home = await load([
    at(0, "permission_policy_create", analysts),
    edit(1, "{}", set("query:1")),
    joins(2, 20),
    joins(3, 21),
    leaves(4, 21),
    at(9, "permission_policy_delete", analysts),
    joins(12, 20),
  ]);
  expect(await spans(home)).toEqual([
    span("20", "member", "7", "12:02", "12:09"),
    span("20", "member", "7", "12:12", null),
    span("21", "member", "7", "12:03", "12:04"),
    span("7", "query", "1", "12:01", "12:09"),
  ]);
  const ended = await home.rows(
    "select change, subject_kind, subject_id, operation, actor_email from permission_changes where canonical_name = 'permission_policy_delete' order by all",
  );
  const by = { actor_email: "root@example.com" };
  expect(ended).toEqual([
    { change: "deleted", subject_kind: "policy", subject_id: "7", operation: null, ...by },
    { change: "revoked", subject_kind: "policy", subject_id: "7", operation: "query", ...by },
    { change: "revoked", subject_kind: "user", subject_id: "20", operation: "member", ...by },
  ]);
  const members = await home.rows("select user_id, detached_by from policy_members order by all");
  expect(members.map((row) => row["detached_by"])).toEqual([
    "root@example.com",
    null,
    "root@example.com",
  ]);
});

test("a share and a set of the user's own on the same database are two rights", async () => {
  const user = { affected_user_id: 20 };
  const shared = { resource_id: "3", resource_name: "crm", ...user };
  const home = await load([
    at(0, "permission_modify", { ...user, old_value: "{}", new_value: set("query:3") }),
    at(1, "database_permission_modify", { ...shared, old_value: "", new_value: "query,edit" }),
    at(2, "permission_modify", { ...user, old_value: set("query:3"), new_value: "{}" }),
  ]);
  const rows = await home.rows(
    "select way, operation, object_name, valid_to is null as is_held, granted_by from user_access order by all",
  );
  const by = { granted_by: "root@example.com", object_name: "crm" };
  expect(rows).toEqual([
    { way: "set", operation: "query", is_held: false, ...by },
    { way: "share", operation: "edit", is_held: true, ...by },
    { way: "share", operation: "query", is_held: true, ...by },
  ]);
});

test("a deleted user has no rights any more", async () => {
  const home = await load([
    edit(0, "{}", set("query:1")),
    joins(1, 20),
    at(2, "user_modify", {
      resource_id: "20",
      attribute_name: "administrator",
      old_value: "false",
      new_value: "true",
    }),
    at(9, "user_delete", { resource_id: "20", resource_name: "ann@example.com" }),
  ]);
  const rows = await home.rows(
    "select way, operation, strftime(valid_to, '%H:%M') as valid_to from user_access order by all",
  );
  expect(rows).toEqual([
    { way: "flag", operation: "administrator", valid_to: "12:09" },
    { way: "member", operation: "member", valid_to: "12:09" },
    { way: "policy", operation: "query", valid_to: "12:09" },
  ]);
});

test("a denied change changes nothing", async () => {
  const home = await load([edit(0, "{}", set("manage"), { event_result: "denied" })]);
  expect(await home.rows("select * from permission_changes")).toEqual([]);
});

test("the directory decides a flag that the log does not have; a deleted user has no rights", async () => {
  const person = { email: "ann@example.com", administrator: true, account_owner: false };
  const home = await load(
    [joins(0, 20), edit(1, "{}", set("query:1"))],
    [
      { id: 20, ...person },
      { id: 21, ...person, email: "bob@example.com" },
    ],
  );
  const held =
    "select user_email, operation, known_from, valid_from is null as is_old, is_listed from user_access where valid_to is null order by all";
  const old = { known_from: "directory", is_old: true, is_listed: true };
  const flag = { operation: "administrator", ...old };
  const ann = { user_email: "ann@example.com", known_from: "log", is_old: false, is_listed: true };
  expect(await home.rows(held)).toEqual([
    { user_email: "ann@example.com", ...flag },
    { ...ann, operation: "member" },
    { ...ann, operation: "query" },
    { user_email: "bob@example.com", ...flag },
  ]);
  const left = home.write(
    "left.json",
    JSON.stringify({ users: [{ id: 21, ...person, administrator: false }] }),
  );
  expect(
    await home.run([
      "import",
      home.write("more.ndjson", JSON.stringify(leaves(9, 30))),
      "--users",
      left,
    ]),
  ).toMatchObject({
    code: 0,
  });
  expect(await home.rows(held)).toEqual([]);
});
