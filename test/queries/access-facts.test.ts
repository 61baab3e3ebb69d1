import { expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// Records with unusual words for the same content, and deleted objects.
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';
const at = (minute: number, event_name: string, more: object): object => ({
  id: `${minute}-${event_name}`,
  time: noonS + 60 * minute,
  event_name,
  ...more,
});

async function ask(home: TestHome, records: readonly object[], sql: string): Promise<Row[]> {
  expect(await home.load(records)).toMatchObject({ code: 0 });
  return home.rows(sql);
}

test("a change with a result of failure or denial is not applied", async () => {
  using home = await homeWithWarehouse();
  const words = ["failed", "Failure", "error", "unauthorized", "DENIED", " forbidden ", "success"];
  const records = words.map((event_result, i) =>
    at(i, "permission_policy_modify", {
      resource_id: String(10 + i),
      old_value: "{}",
      new_value: query,
      event_result,
    }),
  );
  const held = await ask(home, records, "select subject_id from permission_spans");
  expect(held).toEqual([{ subject_id: String(10 + words.indexOf("success")) }]);
  expect(await home.rows("select distinct subject_id from permission_changes")).toEqual(held);
});

const changeCase = (word: string): string[] => [word, word.toUpperCase(), ` ${word} `];
const flags = [
  ...["true", "t", "1", "yes"].flatMap(changeCase).map((word) => [word, true] as const),
  ...["false", "f", "0", "no"].flatMap(changeCase).map((word) => [word, false] as const),
];

test("an administrator's flag may be a word or a number, in the log and in the directory", async () => {
  using home = await homeWithWarehouse();
  const records = flags.map(([word, is], i) =>
    at(i, "user_modify", {
      resource_id: String(100 + i),
      attribute_name: "administrator",
      old_value: is ? "false" : "true",
      new_value: word,
    }),
  );
  const users = flags.map(([word], i) => ({ id: 200 + i, email: `${i}@x.y`, administrator: word }));
  const file = home.write("users.json", JSON.stringify({ users }));
  const log = home.write("log.ndjson", records.map((r) => `${JSON.stringify(r)}\n`).join(""));
  expect(await home.run(["import", log, "--users", file])).toMatchObject({ code: 0 });
  const held = await home.rows("select user_id from user_access where valid_to is null");
  const expected = flags.flatMap(([, is], i) => (is ? [100 + i, 200 + i] : []));
  expect(held.map((row) => Number(row["user_id"])).sort((a, b) => a - b)).toEqual(
    expected.sort((a, b) => a - b),
  );
});

test("the word none in a share is not a permission, in any spelling", async () => {
  using home = await homeWithWarehouse();
  const records = ["none", "NONE", " None "].flatMap((word, i) => {
    const share = { resource_id: "3", resource_name: "crm", affected_user_id: 20 + i };
    return [
      at(2 * i, "database_permission_modify", { ...share, old_value: word, new_value: "query" }),
      at(2 * i + 1, "database_permission_modify", {
        ...share,
        old_value: "query",
        new_value: word,
      }),
    ];
  });
  const changes =
    "select subject_id, operation, change from permission_changes order by subject_id, event_time";
  expect(await ask(home, records, changes)).toEqual(
    ["20", "21", "22"].flatMap((subject_id) => [
      { subject_id, operation: "query", change: "granted" },
      { subject_id, operation: "query", change: "revoked" },
    ]),
  );
  expect(await home.rows("select operation from user_access where valid_to is null")).toEqual([]);
});

test("rights on a database end with it, regardless of their way", async () => {
  using home = await homeWithWarehouse();
  const random = newRandom(1, "gone databases");
  const deletedAt = 30;
  const ways = Array.from({ length: 12 }, (_, i) => {
    const minute = random.pick([1, 10, 29, 30, 40]);
    const user = { affected_user_id: 100 + i };
    const value = { old_value: "{}", new_value: query };
    const event = random.pick([
      at(minute, "permission_modify", { ...user, ...value }),
      at(minute, "database_permission_modify", { ...user, resource_id: "4", ...value }),
    ]);
    return { minute, event: { ...event, id: `way-${i}` }, id: 100 + i };
  });
  const gone = at(deletedAt, "database_delete", { resource_id: "3", resource_name: "crm" });
  const rows = await ask(
    home,
    [...ways.map(({ event }) => event), gone],
    "select user_id, valid_to is null as is_held from user_access order by user_id",
  );
  expect(rows.map((row) => [Number(row["user_id"]), row["is_held"]])).toEqual(
    ways.filter(({ minute }) => minute < deletedAt).map(({ id }) => [id, false]),
  );
});

test("of permissions without ids only manage means every database", async () => {
  using home = await homeWithWarehouse();
  const operations = ["manage", "download", "owner_manage", "import", "query", "edit"];
  const set = JSON.stringify({ Databases: operations.map((operation) => ({ operation })) });
  const edit = at(0, "permission_policy_modify", {
    resource_id: "7",
    old_value: "{}",
    new_value: set,
  });
  const rows = await ask(home, [edit], "select operation, reach from policy_rights");
  const reach = Object.fromEntries(rows.map((row) => [row["operation"], row["reach"]]));
  const unknown = "databases not shown";
  expect(reach).toEqual({
    manage: "every database",
    owner_manage: "own databases",
    download: unknown,
    import: unknown,
    query: unknown,
    edit: unknown,
  });
});
