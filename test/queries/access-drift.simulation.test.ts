import { expect, test } from "vitest";
import { formatLines, homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

const noonMs = Date.UTC(2026, 2, 2, 12);
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';
const manage = '{"Databases":[{"operation":"manage"}]}';
const nothing = '{"Databases":[]}';

const at = (minute: number, event_name: string, more: object): object => ({
  id: `${minute}-${event_name}-${JSON.stringify(more)}`,
  time: noonMs / 1000 + 60 * minute,
  event_name,
  ...more,
});

function writeSnapshot(home: TestHome, minute: number, policy_id: string, body: string): void {
  const read_at = new Date(noonMs + 60_000 * minute).toISOString();
  const snapshot_id = `s-${policy_id}-${minute}`;
  const content = { version: 1, snapshot_id, source: "default" };
  const latest_at = new Date(noonMs + 60_000 * minute + 1000).toISOString();
  const policies = [{ policy_id, read_at, earliest_at: read_at, latest_at, body }];
  home.write(`home/landing/policies/${snapshot_id}.json`, JSON.stringify({ ...content, policies }));
}

async function readReport(home: TestHome, ...asked: readonly string[]): Promise<Row[]> {
  const { code, out, err } = await home.run(["report", "run", ...asked, "--format", "ndjson"]);
  expect({ code, err }).toMatchObject({ code: 0 });
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const readDrift = (home: TestHome): Promise<Row[]> =>
  readReport(home, "permission_drift", "--param", "on=2026-03-03");

const brief = (rows: readonly Row[]): unknown[] =>
  rows.map((row) => [row["policy_id"], row["difference"], row["operation"], row["object_id"]]);

test("a policy whose set the log never states is compared with its first snapshot, created in the log or not", async () => {
  using home = await homeWithWarehouse();
  const made = at(0, "permission_policy_create", { resource_id: "7", resource_name: "Made" });
  const held = at(0, "permission_policy_attach_user", { resource_id: "8", affected_user_id: 20 });
  const still = at(0, "permission_policy_attach_user", { resource_id: "9", affected_user_id: 20 });
  const stated = at(0, "permission_policy_modify", {
    resource_id: "10",
    old_value: nothing,
    new_value: query,
  });
  const file = home.write("log.ndjson", formatLines([made, held, still, stated] as never));
  expect(await home.run(["import", file])).toMatchObject({ code: 0 });
  writeSnapshot(home, 5, "7", query);
  writeSnapshot(home, 5, "8", query);
  writeSnapshot(home, 9, "8", manage);
  writeSnapshot(home, 5, "9", query);
  writeSnapshot(home, 9, "9", query);
  writeSnapshot(home, 5, "10", query);
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
  expect(brief(await readDrift(home))).toEqual([
    ["8", "only in the first snapshot", "query", "3"],
    ["8", "only in the snapshot", "manage", null],
  ]);
});

test("a right is unexplained if a snapshot shows it first, and neither the log nor the first snapshot does", async () => {
  using home = await homeWithWarehouse();
  const both = '{"Databases":[{"operation":"query","ids":"3"},{"operation":"manage"}]}';
  const edit = (
    minute: number,
    resource_id: string,
    old_value: string,
    new_value: string,
  ): object =>
    at(minute, "permission_policy_modify", {
      resource_id,
      resource_name: "P",
      old_value,
      new_value,
    });
  const join = at(0, "permission_policy_attach_user", { resource_id: "8", affected_user_id: 20 });
  const edits = [
    edit(0, "7", nothing, query),
    edit(0, "9", nothing, query),
    edit(6, "9", query, both),
    edit(0, "10", nothing, both),
    edit(5, "10", both, query),
    edit(0, "11", nothing, manage),
  ];
  const file = home.write("log.ndjson", formatLines([join, ...edits] as never));
  expect(await home.run(["import", file])).toMatchObject({ code: 0 });
  // The log has another set, the log never states the set, and the log explains what the second snapshot shows.
  for (const policy of ["7", "8", "9"]) {
    writeSnapshot(home, 5, policy, query);
    writeSnapshot(home, 9, policy, both);
    writeSnapshot(home, 12, policy, both);
  }
  // One shows the set before a change of its second, and one another right on the same databases.
  writeSnapshot(home, 5, "10", both);
  writeSnapshot(home, 9, "11", '{"Databases":[{"operation":"download"}]}');
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
  const range = ["--since", "2026-03-02", "--until", "2026-03-03"];
  const found = await readReport(home, "unexplained_right", ...range);
  expect(
    found.map((row) => [row["subject_id"], row["operation"], row["read_at"]]).toSorted(),
  ).toEqual([
    ["11", "download", "2026-03-02T12:09:00Z"],
    ["7", "manage", "2026-03-02T12:09:00Z"],
    ["8", "manage", "2026-03-02T12:09:00Z"],
  ]);
});

test("manage in a newer snapshot is full access, regardless of the log", async () => {
  using home = await homeWithWarehouse();
  const edit = at(1, "permission_policy_modify", {
    resource_id: "7",
    old_value: nothing,
    new_value: query,
  });
  const join = at(0, "permission_policy_attach_user", { resource_id: "7", affected_user_id: 20 });
  const file = home.write("log.ndjson", formatLines([join, edit] as never));
  expect(await home.run(["import", file])).toMatchObject({ code: 0 });
  writeSnapshot(home, 5, "7", manage);
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
  const held =
    "select user_id, operation, known_from from user_access where valid_to is null and way = 'policy'";
  expect(await home.rows(held)).toEqual([
    { user_id: "20", operation: "manage", known_from: "snapshot" },
  ]);
  const later = at(9, "permission_policy_modify", {
    resource_id: "7",
    old_value: manage,
    new_value: query,
  });
  expect(await home.load([later])).toMatchObject({ code: 0 });
  expect((await home.rows(held)).map((row) => row["operation"])).toEqual(["query"]);
});

test("an administrator's flag that differs between log and directory is drift", async () => {
  using home = await homeWithWarehouse();
  const flag = (id: number, is: boolean): object =>
    at(1, "user_modify", {
      resource_id: String(id),
      attribute_name: "administrator",
      old_value: String(!is),
      new_value: String(is),
    });
  const records = [flag(20, true), flag(21, false), flag(22, true)];
  const file = home.write("log.ndjson", formatLines(records as never));
  const users = [20, 21, 22, 23].map((id) => ({
    id,
    email: `u${id}@example.com`,
    administrator: id !== 20,
  }));
  const list = home.write("users.json", JSON.stringify({ users }));
  const now = (): number => noonMs + 3_600_000;
  expect(await home.run(["import", file, "--users", list], { now })).toMatchObject({ code: 0 });
  expect(brief(await readDrift(home))).toEqual([
    [null, "only in the directory", "administrator", "21"],
    [null, "only in the log", "administrator", "20"],
  ]);
});
