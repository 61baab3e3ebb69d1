import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The prepared state of tests: an empty database, made by the mutant only if it could differ. Processes run from the
 * sources, since a program would have to be built for each mutant.
 */
export default async function prepare(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "prepared-"));
  const file = join(folder, "warehouse.duckdb");
  const { MUTANTS_WAREHOUSE: given, MUTANTS_KEPT: kept } = process.env;
  if (given === undefined) writeFileSync(file, await emptyOne());
  else cpSync(given, file);
  if (kept !== undefined) cpSync(file, kept);
  process.env["AUDITLAKE_TEST_WAREHOUSE"] = file;
  return () => rmSync(folder, { recursive: true, force: true });
}

// Loaded only where it is needed: it is the whole program.
async function emptyOne(): Promise<Buffer> {
  const { emptyWarehouse } = await import("../support/empty-warehouse.ts");
  return emptyWarehouse();
}
