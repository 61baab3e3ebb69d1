import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { temporaryFolder } from "./load.ts";
import { run } from "./command.ts";

/** A database that holds nothing yet, as a run leaves it that was killed before it read anything. */
export async function emptyWarehouse(): Promise<Buffer> {
  const { path, remove } = temporaryFolder();
  try {
    const home = join(path, "home");
    // A folder that is there is a home, with nothing in it yet.
    mkdirSync(home, { mode: 0o700 });
    const { code, err } = await run(["--home", home, "publish"]);
    if (code !== 0) throw new Error(err);
    return readFileSync(resolveHome(home).warehouse);
  } finally {
    remove();
  }
}

let own: Promise<Buffer> | undefined;

/** Puts such a database into a home of which nothing exists yet. */
export async function putWarehouse(home: string): Promise<void> {
  const file = process.env["AUDITLAKE_TEST_WAREHOUSE"];
  const bytes = file === undefined ? await (own ??= emptyWarehouse()) : readFileSync(file);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(resolveHome(home).warehouse, bytes, { mode: 0o600 });
}

/** A copy of a home for all test files of this process; it goes when the last of them is through. */
export function keptCopy(home: string): { readonly home: string } {
  const homes = process.env["AUDITLAKE_TEST_HOMES"];
  if (homes === undefined) throw new Error("nothing was prepared for the tests");
  const kept = mkdtempSync(join(homes, "home-"));
  cpSync(home, kept, { recursive: true });
  return { home: kept };
}
