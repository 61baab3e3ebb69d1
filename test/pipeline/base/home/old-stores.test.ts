import { expect, it } from "vitest";
import { resolveHome, listOldStores } from "../../../../pipeline/base/home/layout.ts";
import { newHome } from "../../../support/home.ts";

it("copies retained by upgrades are listed, the oldest first, and other files are ignored", () => {
  using home = newHome();
  const kept = ["warehouse.duckdb.version-1-20260102T000000Z", "warehouse.duckdb.version-1-2025"];
  for (const name of kept) home.write(`home/${name}`, "12345");
  for (const name of ["warehouse.duckdb", "a-warehouse.duckdb.version-1-", "note.txt"])
    home.write(`home/${name}`, "x");
  const found = listOldStores(resolveHome(home.home));
  expect(found).toEqual(
    kept.toReversed().map((name) => ({ path: `${home.home}/${name}`, bytes: 5 })),
  );
});
