import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// What each access report treats as in force at a moment: what started by then, and ends later or not at all.
const [before, on, later] = [59, 60, 61].map((second) =>
  new Date(Date.UTC(2026, 2, 2, 12, 0, second)).toISOString().slice(0, 19).replace("T", " "),
) as [string, string, string];

const spans: Readonly<Record<string, readonly [from: string | null, to: string | null]>> = {
  always: [null, null],
  "at start": [on, null],
  "not yet": [later, null],
  ended: [before, on],
  lasting: [null, later],
};
const holding = ["always", "at start", "lasting"];

/** A row for each span of some time of its own, named by it. */
const eachSpan = (time: string, name: string, row: Given): Given[] =>
  Object.entries(spans).map(([label, [from, to]]) => ({
    ...row,
    [name]: `${time} ${label}`,
    [`${time}_from`]: from,
    [`${time}_to`]: to,
  }));
const listHeld = (...times: string[]): string[] =>
  times.flatMap((time) => holding.map((label) => `${time} ${label}`)).toSorted();

const ann = { source: "s", user_id: 7, user_email: "ann@example.com" };
const held = {
  source: "s",
  resource_kind: "Databases",
  reach: "one database",
  database_id: "1",
  object_id: "1",
  known_from: "log",
};
const right = { ...held, ...ann, way: "set" };
const member = { ...ann, way: "member", resource_kind: "Policies", object_id: "9" };
const policyRight = { ...held, policy_id: "9" };
const times = ["valid", "way", "right"];
const rights = times.flatMap((time) => eachSpan(time, "operation", right));
const nothing = { unread_log: [], databases: [], users: [] };
const asked = { user_id: "7", database_id: "1", policy_id: "9", source: "s", on };

it.each([
  ["access/what", { user_access: rights }],
  ["access/who", { user_access: rights }],
  ["access/review", { user_access: rights }],
  ["access/members", { user_access: [member, ...rights] }],
  ["access/why", { user_access: rights, access_timeline: [], policy_rights: [] }],
])(
  "%s shows rights whose own validity, that of their way and that of the policy all apply",
  async (file, tables) => {
    const found = await listMessages(file, { ...nothing, ...tables }, "operation", asked);
    expect(found.toSorted()).toEqual(listHeld(...times));
  },
);

const memberIn = (name: string): Given[] =>
  eachSpan("valid", name, member).map((row, i) => ({ ...row, user_id: i }));
const lives = eachSpan("valid", "object_id", { source: "s", object_kind: "policy" });
const unknown = { policies: [], permission_marks: [], policy_snapshots: [] };
const cases: readonly (readonly [file: string, column: string, tables: Tables])[] = [
  ["access/policy", "operation", { policy_rights: eachSpan("valid", "operation", policyRight) }],
  [
    "access/review_policies",
    "operation",
    { policy_rights: eachSpan("valid", "operation", policyRight) },
  ],
  ["access/members", "person", { user_access: memberIn("user_email") }],
  [
    "access/policies",
    "policy_id",
    { ...unknown, object_lives: lives, policy_rights: [], user_access: [] },
  ],
  [
    "access/policies",
    "policy_id",
    {
      ...unknown,
      object_lives: [],
      policy_rights: eachSpan("valid", "policy_id", policyRight),
      user_access: [],
    },
  ],
  [
    "access/affected_policies",
    "policy_id",
    {
      unknown_policies: Object.keys(spans).map((label) => ({
        source: "s",
        policy_id: `valid ${label}`,
      })),
      user_access: eachSpan("valid", "object_id", member),
    },
  ],
];
it.each(cases)("%s has each %s in force", async (file, column, tables) => {
  const values = {
    ...asked,
    ...(file === "access/affected_policies" && { policy_id: null, other_id: null }),
  };
  const found = await listMessages(file, { ...nothing, ...tables }, column, values);
  expect(found.toSorted()).toEqual(listHeld("valid"));
});

it("access/diff has what the policy has at only one of two moments", async () => {
  const tables = { policy_rights: eachSpan("valid", "operation", policyRight), unread_log: [] };
  const find = (from: string, until: string): Promise<unknown[]> =>
    listMessages("access/diff", tables, "difference operation", {
      policy_id: "9",
      other_id: "9",
      source: "s",
      from,
      on: until,
    });
  expect(await find(before, on)).toEqual([
    ["taken away", "valid ended"],
    ["added", "valid at start"],
  ]);
  expect(await find(on, later)).toEqual([
    ["taken away", "valid lasting"],
    ["added", "valid not yet"],
  ]);
});

// By way of a policy: how a user came to belong to it, and since when it has the right.
it("access/why has the memberships and the rights of the policy in force", async () => {
  const way = { ...right, way: "policy", policy_id: "9", operation: "query" };
  const membership = {
    source: "s",
    origin: "member",
    resource_kind: "Policies",
    subject_id: "7",
    object_id: "9",
    subject_kind: "user",
    evidence: "log",
    is_uncertain: false,
  };
  const tables = {
    ...nothing,
    user_access: [way],
    access_timeline: eachSpan("valid", "granted_by", membership),
    policy_rights: eachSpan("valid", "granted_by", { ...policyRight, operation: "query" }),
  };
  const found = await listMessages("access/why", tables, "step what given_by", asked);
  expect(found).toEqual([
    ...listHeld("valid").map((label) => ["1", "belongs to the policy", label]),
    ...listHeld("valid").map((label) => ["2", "the policy holds query", label]),
  ]);
});

it("access/policies counts the members in force", async () => {
  const standing = { source: "s", object_kind: "policy", object_id: "9" };
  const tables = {
    ...nothing,
    ...unknown,
    policy_rights: [],
    object_lives: [standing],
    user_access: memberIn("user_email"),
  };
  expect(await listMessages("access/policies", tables, "members", asked)).toEqual(["3"]);
});
