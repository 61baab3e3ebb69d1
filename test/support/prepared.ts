import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";
import { buildProgram } from "./program.ts";

/**
 * Makes an empty database, and the program in few files, once for all test files. Either takes longer than most of what
 * they do with it.
 */
export default async function prepare(): Promise<() => void> {
  const { path, remove } = temporaryFolder();
  const file = join(path, "warehouse.duckdb");
  writeFileSync(file, await emptyWarehouse());
  process.env["AUDITLAKE_TEST_WAREHOUSE"] = file;
  process.env["AUDITLAKE_TEST_PROGRAM"] = await buildProgram(join(path, "program"));
  process.env["AUDITLAKE_TEST_COMPILED"] = join(path, "compiled");
  return remove;
}
