import { buildChartSpec, drawSvg, pageTheme } from "../../chart/spec.ts";
import type { ChartForm } from "../../../base/report/chart-form.ts";
import { isAlongAxis, maxBars, newPointSum, type Point } from "../../chart/points.ts";
import { htmlDocument, htmlTable, type Leads, shortenRow } from "../../../base/html/document.ts";
import { html, type Markup, trustMarkup } from "../../../base/html/markup.ts";
import type { ColumnKind, Row, Rows } from "../../../base/rows/row.ts";
import type { About, Render } from "../result.ts";
import { formatLeftOut, selectWholeDays } from "./chart.ts";

/** More rows make a page that a browser opens slowly. */
const maxRows = 10_000;

/** A page of its own with the question, its chart and a table that sorts and filters. */
export const renderHtml: Render = async function* (result, { about = noQuestion }) {
  const answer = await renderAnswer(result, about, maxRows);
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

/** The chart and the table of a result, at most so many rows of it; the chart is of all rows. */
export async function renderAnswer(
  result: Rows,
  about: About,
  most: number,
  leads?: Leads,
): Promise<Markup> {
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
  if (count === 0) return html`<p>No rows.</p>`;
  const figure = sum && (await drawFigure(about, columns, sum.points()));
  return html`${figure} ${htmlTable(columns, rows, `Rows of: ${about.title}`, leads)}
    <p class="quiet">${formatRowCount(rows.length, count)}</p>`;
}

async function drawFigure(
  about: About,
  columns: Rows["columns"],
  all: readonly Point[] | undefined,
): Promise<Markup | undefined> {
  const { title, chart } = about;
  if (all === undefined)
    return html`<p class="quiet">No chart: there are too many values of ${chart?.x}.</p>`;
  const { points, leftOut } = selectWholeDays(all, about);
  if (chart === undefined || points.length < 2) return undefined;
  const kind = columns.find(({ name }) => name === chart.x)?.kind ?? "text";
  const label = `${title} ${chart.y} by ${chart.x}`.replaceAll("_", " ");
  const svg = await drawSvg(buildChartSpec(chart, kind, points, pageTheme), label);
  return html`<figure>
    ${trustMarkup(svg)}
    <figcaption>${writeCaption(chart, kind, points, leftOut)}</figcaption>
  </figure>`;
}

// A bar for all others together would dwarf those that have a name.
function writeCaption(
  chart: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  leftOut: number,
): string {
  const names = new Set(points.map(({ x }) => x)).size;
  const by = chart.stack === undefined ? "" : ` and ${chart.stack}`;
  const isTruncated = !isAlongAxis(chart, kind) && names > maxBars;
  const notes = [
    `${chart.y} by ${chart.x}${by}`.replaceAll("_", " "),
    isTruncated ? `the first ${maxBars} of ${names}` : "",
    formatLeftOut(leftOut),
    chart.usual === undefined ? "" : "short lines: median of the same weekday before",
  ];
  return notes.filter((note) => note !== "").join("; ");
}

function formatRowCount(shown: number, count: number): string {
  const rows = `${count} ${count === 1 ? "row" : "rows"}`;
  return shown === count ? rows : `the first ${shown} of ${rows}; the other formats have all`;
}
