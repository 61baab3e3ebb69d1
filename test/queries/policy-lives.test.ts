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
