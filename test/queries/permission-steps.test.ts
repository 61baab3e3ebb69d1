import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// The reports on changes that are significant only together with earlier or later ones.
const at = (hour: number, second = 0): string =>
  new Date(Date.UTC(2026, 2, 4, hour, 0, second)).toISOString().slice(0, 19).replace("T", " ");
const day = 24;
const source = "s";
const range = { since: at(8), until: at(18) };

const ask = (report: string, tables: Tables, columns: string, more: Given): Promise<unknown[]> =>
  listMessages(`reports/permission_changes/${report}`, tables, columns, { ...range, ...more });

// Policy 9 was changed by ann, whose id is 7; bob attaches her to it at noon.
const attach = (more: Given = {}): Given => ({
  source,
  event_key: "k",
  event_time: at(12),
  change: "granted",
  canonical_name: "permission_policy_attach_user",
  user_id: 8,
  actor_email: "bob@example.com",
  subject_kind: "user",
  subject_id: "7",
  subject_name: "Ann@example.com",
  object_id: "9",
  ...more,
});
const change = (hour: number, second = 0, more: Given = {}): Given => ({
  source,
  event_key: "m",
  event_time: at(hour, second),
  change: "granted",
  user_id: 7,
  canonical_name: "permission_policy_modify",
  subject_kind: "policy",
  subject_id: "9",
  operation: "query",
  ...more,
});
const noId = { user_id: null, actor_email: "ann@example.com" };
const steps: Readonly<Record<string, readonly [rows: Given[], found: unknown[]]>> = {
  "filled it": [[change(11), change(10)], [["2", false, false, at(10)]]],
  "filled it in the same second": [[change(12)], [["1", false, false, at(12)]]],
  "filled it afterwards": [[change(12, 1)], []],
  "gave it manage": [[change(11, 0, { operation: "manage" })], [["1", false, true, at(11)]]],
  "made it": [
    [
      change(11, 0, {
        operation: null,
        change: "other",
        canonical_name: "permission_policy_create",
      }),
    ],
    [["0", true, false, at(11)]],
  ],
  "took a right from it": [[change(11, 0, { change: "revoked" })], []],
  "filled it two days before": [[change(12 - 2 * day)], [["1", false, false, at(12 - 2 * day)]]],
  "filled it longer before": [[change(12 - 2 * day, -1)], []],
  "filled another one": [[change(11, 0, { subject_id: "8" })], []],
  "filled one of another source": [[change(11, 0, { source: "t" })], []],
  "changed a person of that id": [[change(11, 0, { subject_kind: "user" })], []],
  "is another user": [[change(11, 0, { user_id: 6 })], []],
  "filled it by e-mail": [[change(11, 0, noId)], [["1", false, false, at(11)]]],
  "has the e-mail of another id": [[change(11, 0, { ...noId, user_id: 6 })], []],
};
it.each(Object.entries(steps))(
  "two_step_grants finds users who %s",
  async (_what, [rows, found]) => {
    const tables = { permission_changes: [attach(), ...rows] };
    const columns = "rights_given is_maker gave_manage first_changed_at";
    expect(await ask("two_step_grants", tables, columns, { days: 2 })).toEqual(found);
  },
);

it.each([
  ["by another user", {}, 1],
  ["by themselves", { user_id: 7 }, 0],
  ["by their own e-mail", { user_id: null, actor_email: "ann@example.com" }, 0],
  ["by an unknown user", { user_id: null, actor_email: null }, 1],
  ["in the first second of the range", { event_time: at(8) }, 1],
  ["in the second before", { event_time: at(8, -1) }, 0],
  ["in the last second of the range", { event_time: at(18, -1) }, 1],
  ["in the second behind", { event_time: at(18) }, 0],
  ["and taken out", { change: "revoked" }, 0],
  ["by a change of theirs", { canonical_name: "permission_modify" }, 0],
])("two_step_grants includes who is attached %s", async (_what, more, count) => {
  const tables = { permission_changes: [change(7), attach(more)] };
  expect(await ask("two_step_grants", tables, "member", { days: 2 })).toHaveLength(count);
});

it("two_step_grants names people and policies by what is known of them", async () => {
  const nameless = { actor_email: null, subject_name: null };
  const permission_changes = [
    change(7),
    attach({ object_name: "Ops" }),
    attach({ ...nameless, event_key: "l" }),
    attach({ ...nameless, event_key: "m", user_id: null, event_time: at(13) }),
  ];
  const found = await ask("two_step_grants", { permission_changes }, "actor member policy", {
    days: 2,
  });
  expect(found).toEqual([
    ["bob@example.com", "Ann@example.com", "Ops"],
    ["user 8", "user 7", "9"],
    ["unknown", "user 7", "9"],
  ]);
});

// Ann changes the list of addresses at noon, and signs in afterwards.
const event = (
  hour: number,
  second: number,
  ip_address: string | null,
  more: Given = {},
): Given => ({
  source,
  event_key: `${hour}:${second}`,
  event_time: at(hour, second),
  ip_address,
  canonical_name: "sign_in",
  outcome: "succeeded",
  actor_email: "ann@example.com",
  user_id: 7,
  ...more,
});
const list = (hour: number, second = 0, more: Given = {}): Given =>
  event(hour, second, "office", { canonical_name: "ip_whitelist_modify", ...more });
const signIns: Readonly<Record<string, readonly [rows: Given[], found: unknown[]]>> = {
  "twice from one address": [[event(14, 0, "new"), event(13, 0, "new")], [["new", at(13), "2"]]],
  "in the same second": [[event(12, 0, "new")], [["new", at(12), "1"]]],
  "in the second before": [[event(12, -1, "new")], []],
  "in the last second of the hours": [[event(20, -1, "new")], [["new", at(20, -1), "1"]]],
  "in the second behind": [[event(20, 0, "new")], []],
  "from an address of the day before": [
    [event(13, 0, "old"), event(12 - day, 0, "old", { canonical_name: "job_issue" })],
    [],
  ],
  "from one of longer before": [
    [event(13, 0, "old"), event(12 - day, -1, "old")],
    [["old", at(13), "1"]],
  ],
  "from one that another user had": [
    [event(13, 0, "old"), event(11, 0, "old", { actor_email: "bob@example.com" })],
    [["old", at(13), "1"]],
  ],
  "from one that they had at another source": [
    [event(13, 0, "old"), event(11, 0, "old", { source: "t" })],
    [["old", at(13), "1"]],
  ],
  "from the address of the change": [[event(13, 0, "office")], [["office", at(13), "1"]]],
  "from nowhere": [[event(13, 0, null)], []],
  "without success": [[event(13, 0, "new", { outcome: "denied" })], []],
  "not at all": [[event(13, 0, "new", { canonical_name: "job_issue" })], []],
  "to reporting and to the platform": [
    [
      event(13, 0, "b", { canonical_name: "sign_in_reporting" }),
      event(13, 0, "a", { canonical_name: "paas_sign_in" }),
    ],
    [
      ["a", at(13), "1"],
      ["b", at(13), "1"],
    ],
  ],
  "at another source": [[event(13, 0, "new", { source: "t" })], []],
  "as another user": [[event(13, 0, "new", { actor_email: "bob@example.com" })], []],
};
it.each(Object.entries(signIns))(
  "address_list_changes includes who signed in %s",
  async (_what, [rows, found]) => {
    const columns = "new_address first_sign_in_at sign_ins";
    const events = [list(12), ...rows];
    const expected = found.length === 0 ? [[null, null, "0"]] : found;
    const given = { hours: 8, days: 1 };
    expect(await ask("address_list_changes", { events }, columns, given)).toEqual(expected);
  },
);

it("address_list_changes has the successful changes of the range, and how they were recorded", async () => {
  const noActor = { actor_email: null, user_id: null };
  const events = [
    list(8, -1),
    list(8),
    list(18, -1),
    list(18),
    list(9, 0, { outcome: "denied" }),
    list(10, 0, { actor_email: null, variant: "add", old_value: "a", old_values: "b" }),
    list(11, 0, { ...noActor, old_values: "c", new_values: "d" }),
    // Right behind the range, and of a user without e-mail.
    event(19, 0, "new"),
    event(11, 0, "new", { actor_email: null }),
  ];
  const columns = "changed_at actor change old_value new_value new_address";
  const given = { hours: 8, days: 1 };
  expect(await ask("address_list_changes", { events }, columns, given)).toEqual([
    [at(8), "ann@example.com", "change", null, null, null],
    [at(10), "user 7", "add", "a", null, "new"],
    [at(11), "unknown", "change", "c", "d", null],
    [at(18, -1), "ann@example.com", "change", null, null, "new"],
  ]);
});
