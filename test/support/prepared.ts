import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";

/** Makes an empty database once for all test files: to make one takes longer than what most tests do with it. */
export default async function prepare(): Promise<() => void> {
  const { path, remove } = temporaryFolder();
  const file = join(path, "warehouse.duckdb");
  writeFileSync(file, await emptyWarehouse());
  process.env["AUDITLAKE_TEST_WAREHOUSE"] = file;
  return remove;
}
