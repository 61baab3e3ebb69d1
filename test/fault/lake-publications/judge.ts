import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { askLake } from "../../pipeline/adapters/lake/reader.ts";
import { compared, rowsInLake } from "../scheduled-runs/years.ts";
import { markField, type Truth } from "../log.ts";
import type { Sleeper } from "./home.ts";

/** Differences shown of each table. */
const shown = 3;

/** Tables of two lakes whose rows differ, one line for each row that only one of them has. */
export async function lakesDiffer(one: string, other: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of compared) {
    const [here, there] = [await rowsInLake(one, table), await rowsInLake(other, table)];
    found.push(...differ(`the lake's ${table}`, here, there));
  }
  return found;
}

/** Rows that only one of two lists has, or that one has more often; lists are sorted. */
export function differ(what: string, here: readonly string[], there: readonly string[]): string[] {
  const more = minus(here, there).map((row) => `${what} has a row too many: ${row}`);
  const less = minus(there, here).map((row) => `${what} is missing a row: ${row}`);
  return [...more.slice(0, shown), ...less.slice(0, shown)];
}

function minus(from: readonly string[], what: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const row of what) left.set(row, (left.get(row) ?? 0) + 1);
  return from.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

/** Marks of the lake's events that are lost, doubled or invented, one line each. */
export async function marksDiffer(lake: string, truth: Truth): Promise<string[]> {
  const marks = (await askLake(lake, "event_rows", markField)) ?? [];
  const expected = [...truth].flatMap(([mark, times]) => Array.from({ length: times }, () => mark));
  return differ("the lake by its marks", marks.sort(), expected.sort());
}

/** All reports over a range, by name. */
export async function readReports(
  { home, run }: Pick<Sleeper, "home" | "run">,
  range: readonly [string, string],
  nowMs: number,
  ...argv: string[]
): Promise<Map<string, string>> {
  const folder = mkdtempSync(`${home.root}-reports-`);
  const dates = ["--since", range[0], "--until", range[1], "--out", folder];
  const { code, err } = await run(["report", "run", "--all", ...dates, ...argv], nowMs);
  if (code !== 0) throw new Error(err);
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Reports that differ, but for those named, a line for each row that only one of them has. */
export function reportsDiffer(
  here: ReadonlyMap<string, string>,
  there: ReadonlyMap<string, string>,
  without: readonly string[],
): string[] {
  const all = [...new Set([...here.keys(), ...there.keys()])].sort();
  const names = all.filter((name) => !without.includes(name.replace(/\.csv$/, "")));
  return names.flatMap((name) => {
    const [one, other] = [here.get(name) ?? "", there.get(name) ?? ""];
    if (one === other) return [];
    const rows = differ(`the report ${name}`, one.split("\n"), other.split("\n"));
    return rows.length > 0 ? rows : [`the report ${name} has its rows in another order`];
  });
}
