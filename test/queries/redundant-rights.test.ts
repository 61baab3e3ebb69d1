import { expect, test } from "vitest";
import { homeWithWarehouse } from "../support/home.ts";

const noonS = Date.UTC(2026, 2, 2, 12) / 1000;

test("a right that a set names twice, with and without a name, is listed once beside the manage that covers it", async () => {
  using home = await homeWithWarehouse();
  const twice = [
    { operation: "manage" },
    { operation: "query", ids: "3" },
    { operation: "query", ids: "3", name: "shop" },
  ];
  const records = [
    { event_name: "database_create", resource_id: "3", resource_name: "shop" },
    {
      event_name: "permission_policy_modify",
      resource_id: "7",
      resource_name: "Analysts",
      old_value: "{}",
      new_value: JSON.stringify({ Databases: twice }),
    },
  ].map((record, i) => ({ id: `e${i}`, time: noonS + i * 60, ...record }));
  expect(await home.load(records)).toMatchObject({ code: 0 });
  const named = await home.rows("select object_name from policy_rights where operation = 'query'");
  expect(named).toEqual([{ object_name: "shop" }, { object_name: "shop" }]);
  const argv = ["report", "run", "redundant_rights", "--param", "on=2026-03-03"];
  const { out } = await home.run([...argv, "--format", "json"]);
  expect(JSON.parse(out)).toEqual([
    expect.objectContaining({
      holder: "Analysts",
      operation: "query",
      database_name: "shop",
      covered_by: "manage in the same set",
    }),
  ]);
});

test("rights that may not be in force, and one right that is named twice, make nothing redundant", async () => {
  using home = await homeWithWarehouse();
  const set = (...databases: object[]): string => JSON.stringify({ Databases: databases });
  const own = { event_name: "permission_modify", old_value: "{}", affected_user_id: 20 };
  const query = { operation: "query", ids: "3" };
  const records = [
    {
      event_name: "permission_policy_modify",
      resource_id: "7",
      old_value: "{}",
      new_value: set({ operation: "manage" }),
      time: noonS,
    },
    // A user is added to the policy with manage and removed from it within one second, on a page without a clear
    // order.
    ...["attach", "detach"].map((change) => ({
      event_name: `permission_policy_${change}_user`,
      resource_id: "7",
      affected_user_id: 20,
      time: noonS + 60,
    })),
    { ...own, new_value: set(query, { ...query, name: "shop" }), time: noonS },
  ].map((record, i) => ({ id: `e${i}`, ...record }));
  expect(await home.load(records)).toMatchObject({ code: 0 });
  const held =
    "select distinct way, known_from from user_access where operation in ('manage', 'query') order by way";
  expect(await home.rows(held)).toEqual([
    { way: "policy", known_from: "log, order unknown" },
    { way: "set", known_from: "log" },
  ]);
  const argv = ["report", "run", "redundant_rights", "--param", "on=2026-03-03"];
  expect(JSON.parse((await home.run([...argv, "--format", "json"])).out)).toEqual([]);
});
