import { expect, it } from "vitest";
import { listMessages, type Given } from "./stand-ins.ts";

// Changes of access, each rule on rows on its border and beside it.
const at = (hour: number, second = 0): string =>
  new Date(Date.UTC(2026, 2, 2, hour, 0, second)).toISOString().slice(0, 19).replace("T", " ");
const source = "s";

it("confirming has the successful changes of sets in a range, oldest first", async () => {
  const event = (event_key: string, event_time: string, more: Given = {}): Given => ({
    event_key,
    event_time,
    canonical_name: "permission_policy_modify",
    outcome: "succeeded",
    new_value: "{}",
    ...more,
  });
  const events = [
    event("4", at(9, -1)),
    event("3", at(8, 1)),
    event("2", at(8)),
    event("1", at(8, 1)),
    event("before", at(8, -1)),
    event("behind", at(9)),
    event("other", at(8, 1), { canonical_name: "permission_policy_create" }),
    event("denied", at(8, 1), { outcome: "denied" }),
    event("renamed", at(8, 1), { new_value: null }),
  ];
  const values = { from: at(8), until: at(9) };
  expect(await listMessages("access/confirming", { events }, "event_key", values)).toEqual([
    "2",
    "1",
    "3",
    "4",
  ]);
});

it("history has the log and snapshots of one policy", async () => {
  const change = (hour: number, more: Given): Given => ({
    source,
    event_time: at(hour),
    event_key: `e${hour}`,
    change: "granted",
    origin: "set",
    subject_kind: "policy",
    subject_id: "9",
    resource_kind: "Databases",
    object_id: "1",
    actor_email: "ann@example.com",
    ...more,
  });
  const member = { origin: "member", subject_kind: "user", subject_id: "7" };
  const joined = { ...member, resource_kind: "Policies", object_id: "9" };
  const show = (object_id: string, from: number, to: number | null, policy_id = "9"): Given => ({
    source,
    policy_id,
    object_id,
    resource_kind: "Databases",
    operation: "query",
    valid_from: at(from),
    valid_to: to === null ? null : at(to),
  });
  const tables = {
    permission_changes: [
      change(1, {}),
      change(2, { object_name: "crm", actor_email: null, user_id: 5 }),
      change(3, joined),
      change(4, { ...joined, subject_name: "bob@example.com" }),
      change(5, { subject_id: "8" }),
      change(5, { subject_kind: "user" }),
      change(5, { ...joined, object_id: "8" }),
      change(5, { ...joined, resource_kind: "Roles" }),
      change(5, { ...joined, origin: "share" }),
    ],
    policy_snapshots: [
      { source, policy_id: "9", read_at: at(12) },
      { source, policy_id: "9", read_at: at(11) },
      { source, policy_id: "8", read_at: at(10) },
    ],
    policy_permissions: [
      show("1", 11, null),
      show("2", 11, 12),
      show("3", 12, null),
      show("4", 10, 12, "8"),
    ],
  };
  const columns = "happened_at evidence change object by_whom";
  const values = { policy_id: "9", source };
  expect(await listMessages("access/history", tables, columns, values)).toEqual([
    [at(1), "log", "granted", "1", "ann@example.com"],
    [at(2), "log", "granted", "crm", "user 5"],
    [at(3), "log", "granted", "user 7", "ann@example.com"],
    [at(4), "log", "granted", "bob@example.com", "ann@example.com"],
    [at(11), "snapshot", "first shown", "1", null],
    [at(11), "snapshot", "first shown", "2", null],
    [at(12), "snapshot", "began", "3", null],
    [at(12), "snapshot", "ended", "2", null],
  ]);
});

it("review_ends has what an event revoked after a moment, last first, databases too", async () => {
  const end = (object_id: string, hour: number | null, more: Given = {}): Given => ({
    source,
    subject_kind: "user",
    subject_id: "7",
    origin: "set",
    object_id,
    valid_to: hour === null ? null : at(hour),
    revoked_by: "ann",
    revoked_event_key: "k",
    ...more,
  });
  const gone = (resource_id: string, hour: number, more: Given = {}): Given => ({
    source,
    resource_id,
    canonical_name: "database_delete",
    outcome: "succeeded",
    event_time: at(hour),
    event_key: "g",
    ...more,
  });
  const tables = {
    access_timeline: [
      end("now", 8),
      end("a", 9),
      end("b", 12),
      end("held", null),
      end("unseen", 9, { revoked_event_key: null }),
      end("other", 9, { source: "t" }),
    ],
    events: [
      gone("1", 10, { actor_email: "ann@example.com", user_id: 5 }),
      gone("2", 11, { user_id: 5 }),
      gone("3", 13),
      gone("4", 8),
      gone("5", 10, { outcome: "denied" }),
      gone("6", 10, { canonical_name: "database_create" }),
      gone("7", 10, { source: "t" }),
    ],
  };
  const columns = "ended_at subject_kind subject_id origin object_id ended_by event_key";
  const values = { source, since: at(8) };
  expect(await listMessages("access/review_ends", tables, columns, values)).toEqual([
    [at(13), "database", "3", "gone", null, "unknown", "g"],
    [at(12), "user", "7", "set", "b", "ann", "k"],
    [at(11), "database", "2", "gone", null, "user 5", "g"],
    [at(10), "database", "1", "gone", null, "ann@example.com", "g"],
    [at(9), "user", "7", "set", "a", "ann", "k"],
  ]);
});

it("memberships has the policies whose creation the log shows, with their present members", async () => {
  const make = (resource_id: string, hour: number, more: Given = {}): Given => ({
    source,
    resource_id,
    canonical_name: "permission_policy_create",
    is_successful: true,
    event_time: at(hour),
    ...more,
  });
  const member = (object_id: string, user_id: number | null, more: Given = {}): Given => ({
    source,
    object_id,
    user_id,
    way: "member",
    resource_kind: "Policies",
    known_from: "log",
    ...more,
  });
  const tables = {
    access_event_rows: [
      make("1", 8),
      make("1", 9),
      make("2", 8),
      make("3", 8),
      make("4", 8),
      make("", 8),
      make("5", 8, { is_successful: false }),
      make("6", 8, { source: "t" }),
      make("7", 8, { canonical_name: "permission_policy_modify" }),
    ],
    user_access: [
      member("1", 10),
      member("1", 11),
      member("1", 11, { known_from: "directory" }),
      member("2", null),
      member("4", 12, { valid_to: at(10) }),
      member("9", 13),
      member("4", 14, { way: "policy" }),
      member("4", 15, { resource_kind: "Roles" }),
      member("4", 16, { source: "t" }),
    ],
  };
  const columns = "policy_id made_ms user_id is_certain";
  const ms = (hour: number): string => String(Date.parse(`${at(hour).replace(" ", "T")}Z`));
  expect(await listMessages("access/memberships", tables, columns, { source })).toEqual([
    ["1", ms(9), "10", true],
    ["1", ms(9), "11", false],
    ["2", ms(8), null, false],
    ["3", ms(8), null, true],
    ["4", ms(8), null, true],
  ]);
  const now = {
    policy_id: "1",
    source,
    on: at(9),
  };
  expect(await listMessages("access/members_now", tables, "user_id", now)).toEqual(["10", "11"]);
  expect(
    await listMessages("access/members_now", tables, "user_id", { ...now, policy_id: "4" }),
  ).toEqual([]);
});
