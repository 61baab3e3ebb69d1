import type { Column, Row } from "../../base/rows/row.ts";
import type { Unit } from "../chart/chart.ts";
import { compareDay, type Comparison, compareWeek } from "./compare-days.ts";
import type { Days } from "./days.ts";
import type { Block } from "./page-file.ts";

/** A number with what it is compared with, and the days around it. */
export type Tile = Comparison & {
  /** The column that it is read from. */
  readonly name: string;
  readonly title: string;
  readonly unit: Unit;
  readonly days: readonly string[];
  readonly amounts: readonly number[];
};

const newNames = /^new_/;
const learningDays = 7;

/** Makes a tile of each column of numbers beside the column `day`. Rows of several sources are added up. */
export function buildTiles(
  columns: readonly Column[],
  rows: readonly Row[],
  days: Days,
  compare: Block["compare"] = "weekday",
): Tile[] {
  const dayAt = columns.findIndex(({ name }) => name === "day");
  const numbers = columns.flatMap(({ name, kind }, at) =>
    kind === "number" ? [{ name, at }] : [],
  );
  return numbers.map(({ name, at }) => {
    const sums = new Map<string, number>();
    for (const row of rows) {
      const day = String(row[dayAt]);
      sums.set(day, (sums.get(day) ?? 0) + Number(row[at] ?? 0));
    }
    const shown = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const amounts = {
      days: shown.map(([day]) => day),
      amounts: shown.map(([, amount]) => amount),
    };
    const compareAmounts = compare === "weeks" ? compareWeek : compareDay;
    const isWhole = newNames.test(name) ? withoutFirstWeek(amounts.days, days) : days.isWhole;
    return {
      name,
      title: getTitle(name),
      unit: name.endsWith("bytes") ? "bytes" : "count",
      ...amounts,
      ...compareAmounts(amounts, days.lastWhole, isWhole),
    };
  });
}

// In the first days of a log everything is new.
function withoutFirstWeek(shown: readonly string[], { isWhole }: Days): (day: string) => boolean {
  const first = shown.find(isWhole);
  const place = first === undefined ? Infinity : shown.indexOf(first) + learningDays;
  return (day) => isWhole(day) && shown.indexOf(day) >= place;
}

function getTitle(name: string): string {
  const words = name
    .replace(/_bytes$/, "")
    .replaceAll("_", " ")
    .replace("sign in", "sign-in");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
