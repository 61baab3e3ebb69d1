import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../pipeline/base/home/layout.ts";

/** The phase of a killed process, as its home shows it. */
export const phases = [
  "publishing",
  "writing a page or manifest",
  "rebuilding",
  "loading rows",
  "after its rows were published",
  "with a log to replay",
  "writing a report",
  "under the lock otherwise",
  "outside the lock",
] as const;
export type Phase = (typeof phases)[number];

/** The leftover temporary files; listed before a process starts, so that only its own show where it was. */
export function readDrafts(home: Home, reports: string): ReadonlySet<string> {
  return new Set(
    [home.landing, reports].flatMap(filesBelow).filter((name) => name.endsWith(".tmp")),
  );
}

/** Finds the phase of a killed process by its files; `before` are the temporary files of others. */
export function readPhase(home: Home, reports: string, before: ReadonlySet<string>): Phase {
  const own = readDrafts(home, reports).difference(before);
  if (existsSync(home.draft)) return "publishing";
  if ([...own].some((name) => name.startsWith(home.landing))) return "writing a page or manifest";
  if (own.size > 0) return "writing a report";
  const staged = existsSync(home.staging) ? readdirSync(home.staging) : [];
  if (staged.includes("rebuilt.duckdb")) return "rebuilding";
  if (staged.some((name) => name !== "tmp")) return "loading rows";
  if (isPublishedBy(home)) return "after its rows were published";
  const log = `${home.warehouse}.wal`;
  if (existsSync(log) && statSync(log).size > 0) return "with a log to replay";
  return existsSync(home.lock) ? "under the lock otherwise" : "outside the lock";
}

// The lock is signed when a run begins.
function isPublishedBy({ lock, published }: Home): boolean {
  const [own, file] = [lock, published].map((path) => statSync(path, { throwIfNoEntry: false }));
  return own !== undefined && file !== undefined && file.mtimeMs > own.mtimeMs;
}

/** Files that a run left behind for good: drafts, copies, parts of locks. */
export function leftovers(home: Home): string[] {
  const known = new Set(["landing", "warehouse.duckdb", "audit.duckdb", "run.lock.sqlite"]);
  const own = readdirSync(home.root).filter((name) => !known.has(name));
  return [...own, ...filesBelow(home.landing).filter((name) => name.endsWith(".tmp"))];
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
