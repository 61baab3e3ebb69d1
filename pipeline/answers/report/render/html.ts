import { newPointSum, type Point } from "../../chart/points.ts";
import { type Leads, shortenRow } from "../../../base/html/cells.ts";
import { htmlDocument } from "../../../base/html/document.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import type { About, Render } from "../result.ts";
import { drawFigure, type FigureOptions } from "./figure.ts";

/** More rows make a page that a browser opens slowly. */
const maxRows = 10_000;

/** A page of its own with the question, its chart and a table that sorts and filters. */
export const renderHtml: Render = async function* (result, { about = noQuestion }) {
  const answer = await renderAnswer(result, about, maxRows, undefined, { panels: "below" });
  yield htmlDocument(
    about.title,
    html`<main>
      <h1>${about.title}</h1>
      ${about.facts.map((fact) => html`<p class="quiet">${fact}</p> `)}${answer}
    </main>`,
  );
};

const noQuestion: About = { title: "Result of a query", facts: [], chart: undefined };

// Many columns make one as well.
const maxCells = 200_000;

/** A result as a page shows it: its first rows, and the chart of all. */
export type Answer = {
  readonly columns: Rows["columns"];
  readonly rows: readonly Row[];
  /** Number of all rows. */
  readonly count: number;
  readonly figure: Markup | undefined;
  /** What the chart adds up; undefined where it has too many values. */
  readonly points: readonly Point[] | undefined;
};

/** Reads a result to its end: at most so many rows are retained, and the chart is of all. */
export async function readAnswer(
  result: Rows,
  about: About,
  most: number,
  options: FigureOptions = {},
): Promise<Answer> {
  const { columns, batches } = result;
  const sum = about.chart && newPointSum(about.chart, columns);
  const mostRows = Math.min(most, Math.ceil(maxCells / columns.length));
  const rows: Row[] = [];
  let count = 0;
  for await (const batch of batches) {
    sum?.add(batch);
    for (const row of batch.slice(0, Math.max(0, mostRows - count))) rows.push(shortenRow(row));
    count += batch.length;
  }
  const points = sum?.points();
  const figure = sum && count > 0 ? drawFigure(about, columns, points, options) : undefined;
  return { columns, rows, count, figure, points };
}

/** The chart and the table of a result, at most so many rows of it. */
export async function renderAnswer(
  result: Rows,
  about: About,
  most: number,
  leads?: Leads,
  options: FigureOptions = {},
): Promise<Markup> {
  const { columns, rows, count, figure } = await readAnswer(result, about, most, options);
  if (count === 0) return html`<p>No rows.</p>`;
  const label = `Rows of: ${about.title}`;
  const foot = formatRowCount(rows.length, count);
  return html`${figure}
  ${writeTable({ columns, rows, label, leads, foot, display: { zone: "UTC" }, title: "Rows" })}`;
}

/** How many rows are shown, and of how many. */
export function formatRowCount(shown: number, count: number): string {
  return shown === count
    ? formatCount(count, "row")
    : `Showing ${countText(shown)} of ${countText(count)} rows · other formats have all`;
}
