import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { emptyWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";
import { buildProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const kept = join(root, "node_modules/.cache/auditlake-test");
const keptSets = 4;

/**
 * Gives all test files an empty database and the program in few files: making each takes longer than most tests that
 * use it. Both are cached under the hash of all that they are made of.
 */
export default async function prepare(): Promise<() => void> {
  const { path, remove } = temporaryFolder();
  const folder = join(kept, hashSources());
  if (!isThere(folder)) await make(folder);
  removeOldest();
  process.env["AUDITLAKE_TEST_WAREHOUSE"] = join(folder, "warehouse.duckdb");
  process.env["AUDITLAKE_TEST_PROGRAM"] = join(folder, "program/pipeline/bin.js");
  process.env["AUDITLAKE_TEST_COMPILED"] = join(folder, "compiled");
  process.env["AUDITLAKE_TEST_HOMES"] = path;
  return remove;
}

function hashSources(): string {
  const hash = createHash("sha256").update(process.version);
  const patterns = ["{pipeline,schemas,queries,fixtures,test/support}/**/*.*", "*.{json,ts}"];
  for (const file of globSync(patterns, { cwd: root }).sort())
    if (statSync(join(root, file)).isFile())
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

// Made beside its place and renamed, so that what is there is whole, also where two runs make it at once.
async function make(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  await writeFile(join(draft, "warehouse.duckdb"), await emptyWarehouse());
  await buildProgram(join(draft, "program"));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!isThere(folder)) throw error;
  }
}

function removeOldest(): void {
  const sets = globSync(`${kept}/*`).sort((a, b) => changedMs(b) - changedMs(a));
  for (const old of sets.slice(keptSets)) rmSync(old, { recursive: true, force: true });
}

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
