import { expect, it, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// From when to when a policy is there, by what is told of it.
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';

type Told = readonly [minute: number, event: string, more?: object];

async function homeOf(told: readonly Told[]): Promise<TestHome> {
  const home = await homeWithWarehouse();
  const records = told.map(([minute, event, more], i) => ({
    id: `${i}`,
    time: noonS + 60 * minute,
    event_name: `permission_policy_${event}`,
    resource_id: "7",
    resource_name: "Temp",
    ...more,
  }));
  expect(await home.load(records)).toMatchObject({ code: 0 });
  return home;
}

const stamp = (minute: number): string => new Date((noonS + 60 * minute) * 1000).toISOString();
async function listed(home: TestHome, minute: number): Promise<Row[]> {
  const argv = ["policy", "list", "--on", stamp(minute), "--format", "ndjson"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const member = { affected_user_id: 20 };
const set = { attribute_name: "permissions", old_value: "{}", new_value: query };

it.each([
  ["nothing", [], false],
  ["that members leave it", [[4, "detach_user", member]], false],
  ["that it is made", [[4, "create"]], true],
  ["that it is changed", [[4, "modify", set]], true],
  ["that somebody joins it", [[4, "attach_user", member]], true],
  [
    "that it is made, and then left",
    [
      [4, "create"],
      [5, "detach_user", member],
    ],
    true,
  ],
] as const)("is there after its deletion, told %s", async (_, later, isThere) => {
  using home = await homeOf([
    [0, "create"],
    [1, "attach_user", member],
    [3, "delete"],
    ...(later as readonly Told[]),
  ]);
  const [policy] = await home.rows(
    "select strftime(deleted_at, '%H:%M') as deleted_at from policies",
  );
  expect(policy).toEqual({ deleted_at: isThere ? null : "12:03" });
  expect(await listed(home, 9)).toHaveLength(isThere ? 1 : 0);
});

test("a policy of which the log tells only that somebody left it is there", async () => {
  using home = await homeOf([[4, "detach_user", member]]);
  expect(await home.rows("select deleted_at from policies")).toEqual([{ deleted_at: null }]);
  expect(await listed(home, 9)).toHaveLength(1);
});

// It is made, left empty, deleted, and made again under its id.
it.each([
  [-1, null],
  [0, "12:00"],
  [2, "12:00"],
  [3, null],
  [4, null],
  [5, "12:05"],
  [9, "12:05"],
])("is listed at any moment as it was told then, in minute %i", async (minute, made) => {
  using home = await homeOf([
    [0, "create"],
    [3, "delete"],
    [5, "create"],
    [7, "modify", set],
  ]);
  const rows = await listed(home, minute);
  const createdAt = rows.map((row) => String(row["created_at"]).slice(11, 16));
  expect(createdAt).toEqual(made === null ? [] : [made]);
});

test("who has been there before the log is listed before it, made again or not", async () => {
  using home = await homeOf([
    [3, "delete"],
    [5, "create"],
  ]);
  expect(await listed(home, 1)).toMatchObject([{ policy_id: "7", created_at: null }]);
  expect(await listed(home, 4)).toEqual([]);
});

test("a policy that held something before its deletion is listed then, made again or not", async () => {
  using home = await homeOf([
    [0, "create"],
    [1, "modify", set],
    [2, "attach_user", member],
    [4, "delete"],
    [6, "create"],
  ]);
  expect(await listed(home, 3)).toMatchObject([{ members: 1, permissions: 1 }]);
  expect(await listed(home, 5)).toEqual([]);
  expect(await listed(home, 7)).toMatchObject([{ members: 0, permissions: 0 }]);
});
