import { expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import { compareFolds } from "../../queries/folds/all.ts";
import { historyOf } from "../../queries/folds/history.ts";
import { inWarehouse } from "../../queries/timeline/ledger.ts";

// What the tables that are kept at load were folded by is noted beside them.

const activeDays = "select count(*) from active_day_rows";
const versions = "select derived_version from derived_versions";

/** Publishes after a change of the warehouse. */
async function after(home: TestHome, statement: string): Promise<void> {
  await inWarehouse(home, async (connection) => void (await connection.run(statement)));
  expect(await home.run(["publish"])).toMatchObject({ code: 0 });
}

it("folds anew what other rules have folded, and not what these have", async () => {
  using home = await homeWithWarehouse();
  expect(await home.load(historyOf(1, "default", 40))).toMatchObject({ code: 0 });
  const [noted, days] = [await home.rows(versions), await home.count(activeDays)];
  expect(noted).toHaveLength(1);
  expect(days).toBeGreaterThan(0);

  await after(home, "delete from active_day_rows");
  expect(await home.count(activeDays)).toBe(0);

  await after(home, "update derived_versions set derived_version = 'other'");
  await compareFolds(home, "after other rules");
  expect(await home.count(activeDays)).toBe(days);
  expect(await home.rows(versions)).toEqual(noted);
});
