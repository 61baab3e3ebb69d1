import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// What access reports show for the rights in force, at any moment.
const [on, later] = ["2026-03-02 12:00:00", "2026-03-02 12:00:01"];
const asked = { user_id: "7", database_id: "1", policy_id: "9", source: "s", on };
const held = {
  source: "s",
  resource_kind: "Databases",
  operation: "query",
  reach: "one database",
  database_id: "1",
  object_id: "1",
  known_from: "log",
};
const right = { ...held, user_id: 7, user_email: "ann@example.com", way: "set" };
const policyRight = { ...held, policy_id: "9" };
const nothing = {
  unread_log: [],
  databases: [],
  users: [],
  access_timeline: [],
  policy_rights: [],
};

const kinds = [
  ["contradicted", false],
  ["gap in the log", false],
  ["log", true],
  ["log and snapshot", true],
  ["log, order unknown", false],
  ["snapshot, time unknown", false],
] as const;
const byEvidence = (row: Given, name: string): Given[] =>
  kinds.map(([evidence], i) => ({ ...row, [name]: `${i}`, known_from: evidence }));

const questions: readonly (readonly [file: string, rows: Tables])[] = [
  ["access/what", { user_access: byEvidence(right, "operation") }],
  ["access/who", { user_access: byEvidence(right, "operation") }],
  ["access/why", { user_access: byEvidence(right, "operation") }],
  ["access/policy", { policy_rights: byEvidence(policyRight, "operation") }],
  ["access/diff", { policy_rights: byEvidence(policyRight, "operation") }],
];
// From one moment on the log was read; other missing records say nothing of the time before.
const begins = (unread_until: string): Given => ({ source: "s", unread_until, is_pruned: false });
const besides = [
  { source: "s", unread_from: on, unread_until: later, is_pruned: false },
  { source: "s", unread_until: later, is_pruned: true },
  { ...begins(later), source: "t" },
];

it.each(questions)("%s is certain of what the log states from its start", async (file, rows) => {
  const ask = (unread_log: readonly Given[]): Promise<unknown[]> =>
    listMessages(file, { ...nothing, ...rows, unread_log }, "evidence is_certain", {
      ...asked,
      ...(file === "access/diff" && { other_id: "8", from: later }),
    });
  const expected = kinds.map(([evidence, is]) => [evidence, is]);
  expect(await ask([])).toEqual(expected);
  expect(await ask([begins(on), ...besides])).toEqual(expected);
  expect(await ask([begins(later)])).toEqual(kinds.map(([evidence]) => [evidence, false]));
});

// Rights on databases, and which of them reach database 1, that 7 made.
const reaches: readonly (readonly [label: string, row: Given, is: boolean])[] = [
  ["another", { database_id: "2", object_id: "2" }, false],
  ["every", { reach: "every database", database_id: null }, true],
  ["hidden", { reach: "databases not shown", database_id: null }, true],
  ["none", { reach: null }, false],
  ["of others", { reach: "own databases", database_id: null, user_id: 8 }, false],
  ["own", { reach: "own databases", database_id: null }, true],
  ["this", {}, true],
];
const made = { source: "s", database_id: "1", creator_user_id: 7 };
const byReach = reaches.map(([operation, row]) => ({ ...right, operation, ...row }));

it.each(["access/who", "access/why"])(
  "%s knows what reaches a database, until it is deleted",
  async (file) => {
    const ask = (database: Given, more: Given = {}): Promise<unknown[]> => {
      const databases = [
        database,
        { ...made, source: "t", creator_user_id: 8 },
        { ...made, database_id: "2" },
      ];
      const tables = { ...nothing, user_access: byReach, databases };
      return listMessages(file, tables, "operation", { ...asked, ...more });
    };
    const expected = reaches.flatMap(([label, , is]) => (is ? [label] : []));
    expect(await ask(made)).toEqual(expected);
    expect(await ask({ ...made, deleted_at: later })).toEqual(expected);
    expect(await ask({ ...made, deleted_at: on })).toEqual([]);
    expect(await ask({ ...made, creator_user_id: 8 })).toEqual(
      expected.filter((one) => one !== "own"),
    );
  },
);

it("users without an e-mail are shown by their id, and access/who has every user if none is named", async () => {
  const member = { way: "member", resource_kind: "Policies", object_id: "9" };
  const ask = (file: string, more: Given = {}, row: Given = {}): Promise<unknown[]> => {
    const nameless = { ...right, user_id: 8, user_email: null };
    const user_access = [right, nameless].map((one) => ({ ...one, ...row }));
    return listMessages(file, { ...nothing, user_access }, "person", { ...asked, ...more });
  };
  const both = ["ann@example.com", "user 8"];
  expect(await ask("access/who")).toEqual(["ann@example.com"]);
  expect(await ask("access/who", { user_id: null })).toEqual(both);
  expect(await ask("access/what", { user_id: "8" })).toEqual(["user 8"]);
  expect(await ask("access/review")).toEqual(both);
  expect(await ask("access/members", {}, member)).toEqual(both);
});

// Of two sources, whose ids may be the same.
const addSources = (row: Given): Given[] => ["s", "t"].map((source) => ({ ...row, source }));
const bySource: readonly (readonly [file: string, rows: Tables])[] = [
  ["access/what", { user_access: addSources(right) }],
  ["access/who", { user_access: addSources(right) }],
  ["access/why", { user_access: addSources(right) }],
  ["access/policy", { policy_rights: addSources(policyRight) }],
  ["access/diff", { policy_rights: addSources(policyRight) }],
  [
    "access/history",
    {
      permission_changes: addSources({ subject_kind: "policy", subject_id: "9", event_time: on }),
      policy_snapshots: [],
      policy_permissions: [],
    },
  ],
  [
    "access/policies",
    {
      object_lives: addSources({
        object_kind: "policy",
        object_id: "9",
      }),
      policies: [],
      permission_marks: [],
      policy_snapshots: [],
      user_access: [],
    },
  ],
];
it.each(bySource)("%s returns one source or all", async (file, rows) => {
  const ask = (source: string | null): Promise<unknown[]> =>
    listMessages(file, { ...nothing, ...rows }, "source", {
      ...asked,
      source,
      ...(file === "access/diff" && {
        other_id: "8",
        from: later,
      }),
    });
  expect(await ask("s")).toEqual(["s"]);
  expect(await ask("t")).toEqual(["t"]);
  expect(await ask(null)).toEqual(["s", "t"]);
});
