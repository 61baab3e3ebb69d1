import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// The reports on changes of permissions, each rule on rows that lie on its border and beside it.
const at = (hour: number, second = 0): string =>
  new Date(Date.UTC(2026, 2, 4, hour, 0, second)).toISOString().slice(0, 19).replace("T", " ");
const source = "s";
const range = { since: at(8), until: at(18) };

const ask = (
  report: string,
  tables: Tables,
  columns: string,
  more: Given = {},
): Promise<unknown[]> =>
  listMessages(`reports/permission_changes/${report}`, tables, columns, { ...range, ...more });

// Ann, whose id is 7, gives bob a right on a database at noon.
const grant = (more: Given): Given => ({
  source,
  event_key: "k",
  event_time: at(12),
  change: "granted",
  user_id: 7,
  actor_email: "ann@example.com",
  subject_kind: "user",
  subject_id: "8",
  resource_kind: "Databases",
  operation: "query",
  object_id: "1",
  origin: "set",
  ...more,
});
const fits: Readonly<Record<string, Given>> = {
  administrator_changes: { resource_kind: "Account", operation: "administrator" },
  database_shares: { origin: "share" },
  full_access_granted: { operation: "manage" },
  off_hours_permission_changes: {},
  permission_changes_by_actor: {},
  permission_changes_list: {},
  policy_membership: { origin: "member", resource_kind: "Policies" },
};
const nothing = {
  events: [],
  policy_rights: [],
  policy_members: [],
  user_names: [],
  timezone_offsets: [
    {
      timezone: "UTC",
      is_default: true,
      offset_minutes: 0,
      valid_from: at(-9e4),
      valid_to: at(9e4),
    },
  ],
};
const hours = { from_hour: 23, to_hour: 0, timezone: "UTC" };

it.each(Object.entries(fits))(
  "%s includes the first moment of the range and excludes its last",
  async (report, own) => {
    const moments = [at(8, -1), at(8), at(18, -1), at(18)];
    const permission_changes = moments.map((event_time, i) =>
      grant({ ...own, event_time, actor_email: `${i}@example.com` }),
    );
    const found = await ask(report, { ...nothing, permission_changes }, "actor", hours);
    expect(found.toSorted()).toEqual(["1@example.com", "2@example.com"]);
  },
);

it.each(Object.entries(fits))("%s names people by what is known of them", async (report, own) => {
  const who = [{}, { actor_email: null }, { actor_email: null, user_id: null }];
  const permission_changes = who.map((more) => grant({ ...own, ...more }));
  const found = await ask(report, { ...nothing, permission_changes }, "actor", hours);
  expect(found.toSorted()).toEqual(["ann@example.com", "unknown", "user 7"]);
  if (report === "permission_changes_by_actor") return;
  const whom = [{ subject_name: "Bob" }, {}, { subject_id: null }].map((more, i) =>
    grant({ ...own, ...more, event_key: `${i}` }),
  );
  const tables = { ...nothing, permission_changes: whom };
  expect((await ask(report, tables, "subject", hours)).toSorted()).toEqual([
    "Bob",
    "unknown",
    "user 8",
  ]);
});

it("self_grants finds users who grant to themselves, or to a policy that they are a member of at that time", async () => {
  const none = { actor_email: null, user_id: null };
  const toPolicy = (operation: string, policy: string, more: Given = {}): Given =>
    grant({ operation, subject_kind: "policy", subject_id: policy, ...more });
  const member = (
    policy_id: string,
    from: string | null,
    to: string | null,
    more: Given = {},
  ): Given => ({
    source,
    policy_id,
    user_id: 7,
    valid_from: from,
    valid_to: to,
    ...more,
  });
  const byMail = { user_id: null, actor_email: "ann@example.com" };
  const tables = {
    permission_changes: [
      grant({ operation: "by id", subject_id: "7", object_name: "crm", subject_name: "Ann" }),
      // On another database of that name.
      grant({
        operation: "by id",
        subject_id: "7",
        object_id: "2",
        object_name: "crm",
        subject_name: "Ann",
      }),
      grant({ operation: "by e-mail", subject_id: null, subject_name: "Ann@example.com" }),
      grant({ operation: "id alone", subject_id: "7", actor_email: null }),
      grant({ operation: "another", subject_name: "bob@example.com" }),
      grant({ operation: "nobody", ...none, subject_id: null }),
      grant({ operation: "taken", subject_id: "7", change: "revoked" }),
      grant({ operation: "before", subject_id: "7", event_time: at(8, -1) }),
      grant({ operation: "first", subject_id: "7", event_time: at(8) }),
      grant({ operation: "behind", subject_id: "7", event_time: at(18) }),
      ...["always", "at start", "not yet", "ended", "lasting", "other", "none", "7"].map((policy) =>
        toPolicy(policy, policy),
      ),
      ...["mailed", "former", "others"].map((policy) => toPolicy(policy, policy, byMail)),
      toPolicy("with an id", "mailed", { actor_email: "ann@example.com" }),
    ],
    policy_members: [
      member("always", null, null),
      member("at start", at(12), null),
      member("not yet", at(12, 1), null),
      member("ended", null, at(12)),
      member("lasting", null, at(12, 1)),
      member("other", null, null, { source: "t" }),
      member("none", null, null, { user_id: 8 }),
      member("mailed", null, null, { user_id: 5 }),
      member("former", null, null, { user_id: 6 }),
      member("others", null, null, { user_id: 9 }),
    ],
    // Two have it now; previous owners count only if no user has it.
    user_names: [
      { source, user_id: 5, kind: "email", name: "ann@example.com" },
      { source, user_id: 6, kind: "former_email", name: "ann@example.com" },
      { source, user_id: 9, kind: "name", name: "ann@example.com" },
    ],
  };
  const columns = "actor operation object how subject";
  const ann = "ann@example.com";
  const own = (operation: string): unknown[] => [
    ann,
    operation,
    "1",
    "to own policy",
    `policy ${operation}`,
  ];
  expect(await ask("self_grants", tables, columns)).toEqual([
    [ann, "first", "1", "to self", "user 7"],
    own("always"),
    own("at start"),
    [ann, "by e-mail", "1", "to self", "Ann@example.com"],
    [ann, "by id", "crm", "to self", "Ann"],
    [ann, "by id", "crm", "to self", "Ann"],
    own("lasting"),
    own("mailed"),
    ["user 7", "id alone", "1", "to self", "user 7"],
  ]);
});

it("full_access_granted includes manage, promotions, and policies that have manage at that time", async () => {
  const attach = (object_id: string): Given =>
    grant({
      canonical_name: "permission_policy_attach_user",
      resource_kind: "Policies",
      object_id,
      operation: "member",
      subject_name: object_id,
    });
  const account = { resource_kind: "Account" };
  const holds = (policy_id: string, more: Given = {}): Given => ({
    source,
    policy_id,
    resource_kind: "Databases",
    operation: "manage",
    ...more,
  });
  const policies: Readonly<Record<string, Given>> = {
    always: {},
    "at start": { valid_from: at(12) },
    ended: { valid_to: at(12) },
    lasting: { valid_to: at(12, 1) },
    "not yet": { valid_from: at(12, 1) },
    other: { source: "t" },
    query: { operation: "query" },
    role: { resource_kind: "Roles" },
  };
  const tables = {
    permission_changes: [
      grant({ subject_name: "1", operation: "manage", object_name: "crm" }),
      grant({ subject_name: "1", operation: "manage", object_name: "crm", object_id: "2" }),
      grant({ subject_name: "2", operation: "manage", subject_kind: "policy" }),
      grant({ subject_name: "3", operation: "account_owner", ...account }),
      grant({ subject_name: "4", operation: "administrator", ...account, user_id: 8 }),
      grant({ subject_name: "ANN@example.com", operation: "manage" }),
      grant({ subject_name: "5", operation: "manage", subject_kind: "policy", subject_id: "7" }),
      grant({ subject_name: null, subject_id: null, operation: "manage", actor_email: null }),
      grant({ subject_name: "6", operation: "other", ...account }),
      grant({ subject_name: "7", operation: "manage", resource_kind: "Roles" }),
      grant({ subject_name: "8", operation: "query" }),
      grant({ subject_name: "9", operation: "manage", change: "revoked" }),
      ...Object.keys(policies).map(attach),
      { ...attach("always"), canonical_name: "permission_policy_modify" },
    ],
    policy_rights: Object.entries(policies).map(([id, more]) => holds(id, more)),
  };
  const listAttached = (subject: string): unknown[] => [
    "attached to policy with manage",
    subject,
    false,
  ];
  const found = await ask("full_access_granted", tables, "how subject to_self");
  expect(found).toEqual([
    ...["always", "at start", "lasting"].map(listAttached),
    ["made account owner", "3", false],
    ["made administrator", "4", true],
    ["manage granted to policy", "2", false],
    ["manage granted to policy", "5", false],
    ["manage granted to user", "1", false],
    ["manage granted to user", "1", false],
    ["manage granted to user", "ANN@example.com", true],
    ["manage granted to user", "unknown", false],
  ]);
});
