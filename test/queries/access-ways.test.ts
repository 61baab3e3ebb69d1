import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// By which way people have what they have: by themselves, by a policy, by belonging to one.
const on = "2026-03-02 12:00:00";
const source = "s";
const asked = { user_id: "7", database_id: "1", policy_id: "9", other_id: null, source, on };
const nothing = {
  unread_log: [],
  databases: [],
  users: [],
  policies: [],
  permission_marks: [],
  policy_snapshots: [],
  policy_rights: [],
  access_timeline: [],
  user_access: [],
};
const ask = (file: string, tables: Tables, columns: string, more: Given = {}): Promise<unknown[]> =>
  listMessages(file, { ...nothing, ...tables }, columns, { ...asked, ...more });

const right = (operation: string, more: Given = {}): Given => ({
  source,
  user_id: 7,
  user_email: "ann@example.com",
  way: "set",
  operation,
  resource_kind: "Databases",
  reach: "one database",
  database_id: "1",
  object_id: "1",
  known_from: "log",
  ...more,
});
const byPolicy = (operation: string, more: Given = {}): Given =>
  right(operation, { way: "policy", policy_id: "9", ...more });
const flag = { way: "flag", resource_kind: "Account", database_id: null, object_id: null };
const belonging = (policy: string, more: Given = {}): Given =>
  right("member", {
    way: "member",
    resource_kind: "Policies",
    object_id: policy,
    reach: null,
    database_id: null,
    ...more,
  });

it("why describes each step in words, and the source of a membership", async () => {
  const member = (policy: string, more: Given): Given => ({
    source,
    origin: "member",
    resource_kind: "Policies",
    subject_id: "7",
    object_id: policy,
    evidence: "log",
    is_uncertain: false,
    ...more,
  });
  const tables = {
    user_access: [
      right("account_owner", { ...flag, reach: "every database" }),
      right("edit"),
      ...["1", "2", "3", "3"].map((policy_id) =>
        byPolicy("query", { policy_id, policy_name: "P" }),
      ),
      byPolicy("query", { policy_id: "4", database_id: "2" }),
      // No record shows a right of this one, nor a membership.
      byPolicy("query", { policy_id: "5" }),
    ],
    access_timeline: [
      member("1", {}),
      member("2", { is_uncertain: true }),
      member("3", { is_uncertain: true, evidence: "unknown" }),
      ...[{ source: "t" }, { origin: "set" }, { resource_kind: "Roles" }].map((more) =>
        member("1", { is_uncertain: true, ...more }),
      ),
      member("1", { is_uncertain: true, subject_id: "8" }),
    ],
    policy_rights: [
      right("query", { policy_id: "1" }),
      right("query", { policy_id: "2", known_from: "contradicted" }),
      right("query", { policy_id: "3" }),
      right("query", { policy_id: "1", known_from: "other", source: "t" }),
      right("edit", { policy_id: "1", known_from: "other" }),
      right("query", { policy_id: "1", known_from: "other", database_id: "2" }),
      right("query", { policy_id: "1", known_from: "other", database_id: null }),
      right("query", { policy_id: "1", known_from: "other", reach: "own databases" }),
    ].map(({ user_id: _u, user_email: _e, way: _w, ...row }) => row),
  };
  const columns = "way policy_id step what evidence is_certain";
  const belongs = "belongs to the policy";
  expect(await ask("access/why", tables, columns)).toEqual([
    ["flag", null, "1", "is account owner", "log", true],
    ["policy", "1", "1", belongs, "log", true],
    ["policy", "1", "2", "the policy holds query", "log", true],
    ["policy", "2", "1", belongs, "log, order unknown", false],
    ["policy", "2", "2", "the policy holds query", "contradicted", false],
    ["policy", "3", "1", belongs, "gap in the log", false],
    ["policy", "3", "2", "the policy holds query", "log", true],
    ["set", null, "1", "holds edit", "log", true],
  ]);
});

it("review has a membership alone if it is not known to give a right, and the maker of a database", async () => {
  const tables = {
    user_access: [
      byPolicy("query"),
      belonging("9"),
      belonging("8"),
      belonging("9", { user_id: 8 }),
      belonging("9", { operation: "lead", resource_kind: "Roles" }),
      right("edit", { object_id: "2" }),
      right("import", { object_id: "3" }),
      right("lead", { resource_kind: "Roles", object_id: "1" }),
      right("manage", { user_id: null }),
      right("manage", { source: "t" }),
    ],
    databases: [
      { source, database_id: "1", creator_user_id: 5 },
      { source: "t", database_id: "2", creator_user_id: 5 },
      { source, database_id: "3", creator_user_id: 6 },
    ],
    users: [
      { source, user_id: 5, email: "Eve@example.com" },
      { source: "t", user_id: 5, email: "x@example.com" },
    ],
  };
  const found = await ask("access/review", tables, "user_id way operation object_id creator");
  expect(found).toEqual([
    ["7", "member", "member", "8", null],
    ["7", "member", "lead", "9", null],
    ["7", "policy", "query", "1", "eve@example.com"],
    ["7", "set", "edit", "2", null],
    ["7", "set", "import", "3", null],
    ["7", "set", "lead", "1", null],
    ["8", "member", "member", "9", null],
  ]);
});

it("members has what each member of a policy can do by another way", async () => {
  const other = { user_id: 8, user_email: "bob@example.com" };
  const user_access = [
    belonging("9"),
    belonging("9", { operation: "owner" }),
    belonging("9", other),
    belonging("8", { user_id: 6 }),
    belonging("9", {
      user_id: 6,
      resource_kind: "Roles",
    }),
    belonging("9", {
      user_id: 6,
      source: "t",
    }),
    belonging("9", {
      user_id: 6,
      way: "set",
    }),
    byPolicy("query"),
    byPolicy("edit", { policy_id: "8" }),
    right("import"),
    right("import"),
    right("manage", { user_id: 6 }),
    right("manage", { source: "t" }),
  ];
  const ofBoth = [
    ["ann@example.com", "edit"],
    ["ann@example.com", "import"],
    ["bob@example.com", null],
  ];
  expect(await ask("access/members", { user_access }, "person operation")).toEqual(ofBoth);
  const all = await ask("access/members", { user_access }, "user_id operation", { source: null });
  expect(all).toEqual([
    ["6", null],
    ["7", "edit"],
    ["7", "import"],
    ["8", null],
  ]);
});

it("policies has the number of members of each, and what is known of its rights", async () => {
  const life = (object_id: string, created_at: string | null = on): Given => ({
    source,
    object_kind: "policy",
    object_id,
    created_at,
  });
  const holds = (policy_id: string, more: Given = {}): Given => ({
    source,
    policy_id,
    operation: "query",
    reach: "one database",
    known_from: "log",
    ...more,
  });
  const earlier = "2026-03-02 11:00:00";
  const tables = {
    object_lives: [
      life("1"),
      life("2", null),
      life("3", null),
      life("4", null),
      life("5", null),
      { ...life("6"), object_kind: "database" },
    ],
    policies: [
      { source, policy_id: "1", policy_name: "Staff" },
      { source: "t", policy_id: "2", policy_name: "Others" },
    ],
    permission_marks: [
      { source, subject_kind: "policy", subject_id: "3", is_statement: true, event_time: earlier },
      { source, subject_kind: "policy", subject_id: "2", is_statement: false, event_time: earlier },
      { source, subject_kind: "user", subject_id: "2", is_statement: true, event_time: earlier },
    ],
    policy_snapshots: [
      { source, policy_id: "4", state: "present", read_at: earlier, place: "ordered" },
      { source, policy_id: "4", state: "present", read_at: on, place: "ordered" },
      {
        source,
        policy_id: "4",
        state: "present",
        read_at: "2026-03-02 12:00:01",
        place: "ordered",
      },
      { source, policy_id: "5", state: "gone", read_at: earlier, place: "ordered" },
    ],
    policy_rights: [
      holds("1"),
      holds("1", { operation: "manage" }),
      ...["contradicted", "log, order unknown", "snapshot, time unknown", "gap in the log"].map(
        (known_from) => holds("1", { known_from }),
      ),
      holds("2", { operation: "manage", reach: "every database" }),
      holds("2"),
      holds("7", { reach: "every database" }),
      holds("8", { operation: "manage", reach: null }),
    ],
    user_access: [
      belonging("1"),
      belonging("1"),
      belonging("1", { user_id: 8 }),
      belonging("1", { user_id: 9, source: "t" }),
      belonging("2", { way: "set" }),
      belonging("2", { resource_kind: "Roles" }),
    ],
  };
  const columns = "policy_id policy members permissions has_full_access uncertain last_snapshot";
  const find = (more: Tables = {}): Promise<unknown[]> =>
    ask("access/policies", { ...tables, ...more }, columns);
  expect(await find()).toEqual([
    ["1", "Staff", "2", "6", false, "4", null],
    ["2", null, "0", "2", true, "0", null],
    ["3", null, "0", "0", false, "0", null],
    ["4", null, "0", "0", false, "0", on],
    ["5", null, "0", null, null, "0", earlier],
    ["7", null, "0", "1", false, "0", null],
    ["8", null, "0", "1", false, "0", null],
  ]);
  const uncertainFrom = async (unread_until: string, more: Given = {}): Promise<unknown> => {
    const unread_log = [{ source, is_pruned: false, unread_until, ...more }];
    return (await find({ unread_log })).map((row) => (row as unknown[])[5]);
  };
  const known = ["4", "0", "0", "0", "0", "0", "0"];
  expect(await uncertainFrom(on)).toEqual(known);
  expect(await uncertainFrom("2026-03-02 12:00:01")).toEqual(["6", "2", "0", "0", "0", "1", "1"]);
  for (const more of [{ is_pruned: true }, { unread_from: earlier }, { source: "t" }])
    expect(await uncertainFrom("2026-03-02 12:00:01", more)).toEqual(known);
});

it("affected_policies has the policies of a query: one, two, those of a person, or all", async () => {
  const tables = {
    unknown_policies: ["1", "2", "3"].map((policy_id) => ({ source, policy_id })),
    user_access: [
      belonging("1"),
      belonging("2", { user_id: 8 }),
      belonging("3", { way: "set" }),
      belonging("3", { resource_kind: "Roles" }),
      belonging("3", { source: "t" }),
    ],
  };
  const none = { policy_id: null, other_id: null, user_id: null };
  const find = (more: Given): Promise<unknown[]> =>
    ask("access/affected_policies", tables, "policy_id", { ...none, ...more });
  expect(await find({})).toEqual(["1", "2", "3"]);
  expect(await find({ source: null })).toEqual(["1", "2", "3"]);
  expect(await find({ source: "t" })).toEqual([]);
  expect(await find({ policy_id: "2" })).toEqual(["2"]);
  expect(await find({ policy_id: "2", other_id: "3" })).toEqual(["2", "3"]);
  expect(await find({ user_id: "7" })).toEqual(["1"]);
});
