import { expect, it } from "vitest";
import { listMessages, type Given } from "./stand-ins.ts";

// What a name refers to at a moment, on rows that lie on it and beside it.
const at = (hour: number): string => `2026-03-02 ${String(hour).padStart(2, "0")}:00:00`;
const source = "s";

// Names of policies and databases by their events; of people by their directory.
const findNamed = (resource_id: string, name: string, hour: number, what = "modify"): Given => ({
  source,
  resource_id,
  resource_name: name,
  event_time: at(hour),
  canonical_name: `permission_policy_${what}`,
  is_successful: true,
});
const noNames = {
  policy_snapshots: [],
  user_history: [],
  permission_mark_rows: [],
  object_lives: [],
  sighting_rows: [],
};

it("names shows who had which name at a moment, and which is the last one", async () => {
  const tables = {
    ...noNames,
    access_event_rows: [
      findNamed("1", "Ops", 6),
      findNamed("1", "Old", 7),
      findNamed("1", "Ops", 8),
      findNamed("1", "New", 9),
      findNamed("2", "Late", 10),
      findNamed("2", "Later", 11),
      findNamed("2", "Late", 12),
      findNamed("3", "", 7),
      findNamed("", "None", 7),
      { ...findNamed("4", "Refused", 7), is_successful: false },
      { ...findNamed("5", "table", 7), canonical_name: "table_modify" },
      { ...findNamed("6", "crm", 7), canonical_name: "database_modify" },
      { ...findNamed("1", "Other", 7), source: "t" },
      { ...findNamed("6", "crm", 7), canonical_name: "database_modify", source: "t" },
    ],
  };
  const ask = (on: string | null, kind = "policy"): Promise<unknown[]> =>
    listMessages("access/names", tables, "id name is_then is_last", { kind, source, on });
  const rest = (id: string | null): unknown[] => ["3", null, id !== null, true];
  expect(await ask(at(8))).toEqual([
    ["1", "New", false, true],
    ["1", "Old", false, false],
    ["1", "Ops", true, false],
    ["2", "Late", true, true],
    ["2", "Later", false, false],
    rest(""),
  ]);
  expect(await ask(null)).toEqual([
    ["1", "New", true, true],
    ["1", "Old", false, false],
    ["1", "Ops", false, false],
    ["2", "Late", true, true],
    ["2", "Later", false, false],
    rest(""),
  ]);
  expect(await ask(null, "database")).toEqual([["6", "crm", true, true]]);
  const ofAll = (kind: string): Promise<unknown[]> =>
    listMessages("access/names", tables, "id name", { kind, source: null, on: null });
  expect(await ofAll("policy")).toContainEqual(["1", "Other"]);
  expect(await ofAll("database")).toEqual([["6", "crm"]]);
});

it("names has people of the directory by e-mail and name, and those in the log alone by id", async () => {
  const version = (user_id: number, email: string, name: string, hour: number): Given => ({
    source,
    user_id,
    email,
    name,
    valid_from: at(hour),
  });
  const mark = (subject_id: string, object_id: string, more: Given = {}): Given => ({
    source,
    event_time: at(7),
    subject_kind: "user",
    subject_id,
    resource_kind: "Databases",
    object_id,
    ...more,
  });
  const beside = (id: string, email: string, from: number, to: number, of = source): Given => ({
    source: of,
    subject_kind: "user email",
    subject: `${id} ${email}`,
    first_seen_at: at(from),
    last_seen_at: at(to),
  });
  const tables = {
    ...noNames,
    access_event_rows: [],
    policy_snapshots: [{ source, policy_id: "9", read_at: at(7), state: "present" }],
    user_history: [
      version(1, "ann@old.example", "Ann", 7),
      version(1, "ann@example.com", "", 9),
      version(4, "", "Eve", 7),
    ],
    // Beside ids the log has the e-mail of Ann, which the directory gives, and one that two had after each other.
    sighting_rows: [
      beside("3", "ann@example.com", 6, 9),
      beside("5", "zoe@example.com", 6, 8),
      beside("4", "zoe@example.com", 7, 7),
      beside("4", "zoe@example.com", 9, 10, "t"),
      { ...beside("5", "x@example.com", 6, 8), subject_kind: "email" },
    ],
    permission_mark_rows: [
      mark("2", "5"),
      mark("", ""),
      mark("3", "6", { subject_kind: "policy", resource_kind: "Roles" }),
    ],
  };
  const ask = (kind: string): Promise<unknown[]> =>
    listMessages("access/names", tables, "id name is_then is_last", { kind, source, on: at(8) });
  expect(await ask("user")).toEqual([
    ["1", "Ann", true, false],
    ["1", "ann@example.com", false, true],
    ["1", "ann@old.example", true, false],
    ["1", null, true, true],
    ["2", null, true, true],
    ["4", "Eve", true, true],
    ["4", null, true, true],
    ["5", "zoe@example.com", true, true],
  ]);
  expect(await ask("policy")).toEqual([["9", null, true, true]]);
  expect(await ask("database")).toEqual([["5", null, true, true]]);
});

const life = (from: number | null, to: number | null, made = from): Given => {
  const [valid_from, valid_to, created_at] = [from, to, made].map((hour) =>
    hour === null ? null : at(hour),
  ) as [string | null, string | null, string | null];
  return { source, object_kind: "policy", object_id: "1", valid_from, valid_to, created_at };
};
it.each([
  ["whose creation and deletion are unknown", [life(null, null)], "there", "there"],
  ["before it is made", [life(9, null)], "not made", "there"],
  ["when it is made", [life(8, null)], "there", "there"],
  ["when it is deleted", [life(6, 8)], "gone", "gone"],
  ["before it is deleted", [life(6, 9)], "there", "gone"],
  ["between two lives", [life(6, 7), life(9, null)], "gone", "there"],
  ["between two lives that ended", [life(6, 7), life(9, 10)], "gone", "gone"],
  ["before it is deleted and made again", [life(null, 9), life(11, null)], "there", "there"],
  ["in its second life", [life(5, 6), life(7, null)], "there", "there"],
  ["before two lives", [life(9, 10), life(11, null, null)], "not made", "there"],
  ["that other evidence shows later", [life(9, 10, null), life(11, 12)], "there", "gone"],
  ["of which there is no life", [{ ...life(6, 7), object_id: "2" }], "there", "there"],
  ["of another source", [{ ...life(6, 7), source: "t" }], "there", "there"],
  ["beside a database", [{ ...life(6, 7), object_kind: "database" }], "there", "there"],
])("names shows whether a policy exists: %s", async (_what, object_lives, state, last) => {
  const tables = { ...noNames, access_event_rows: [findNamed("1", "Ops", 6)], object_lives };
  const ask = (on: string | null): Promise<unknown[]> =>
    listMessages("access/names", tables, "state is_then", { kind: "policy", source, on });
  expect(await ask(at(8))).toEqual([[state, state !== "not made"]]);
  expect(await ask(null)).toEqual([[last, true]]);
});
