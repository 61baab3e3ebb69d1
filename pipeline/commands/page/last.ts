import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const prefix = "auditlake-";
const pageName = /^auditlake-\d{4}-\d{2}-\d{2}\.html$/;
const untilPattern = /<meta name="auditlake-until" content="([0-9TZ:.-]{20,30})"/;

/** The file of a day's page; a second one of the same day takes its place. */
export function pageFile(nowMs: number): string {
  return `${prefix}${new Date(nowMs).toISOString().slice(0, "2026-01-01".length)}.html`;
}

/** The moment that the newest page of another day speaks up to, milliseconds; undefined where there is none. */
export function lastPageMs(folder: string, ownFile: string): number | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => pageName.test(name) && name < ownFile);
  const newest = names.sort().at(-1);
  if (newest === undefined) return undefined;
  const [, text] = untilPattern.exec(readFileSync(join(folder, newest), "utf8")) ?? [];
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
