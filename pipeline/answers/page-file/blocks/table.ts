import { parseSpaced } from "../../../base/time/text.ts";
import { type Display, formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { writeCategory } from "../../chart/paints.ts";
import { drawDays } from "../../chart/sparkline.ts";
import { listDays } from "../../chart/slots.ts";
import { moveDay } from "../compare-days.ts";
import { drawShare } from "../../chart/scale.ts";
import type { Column, Row } from "../../../base/rows/row.ts";
import type { Cell } from "../../../base/rows/row.ts";
import { buildBlockQuestion, type PageContext, readRows } from "../context.ts";
import type { Block } from "../page-file.ts";
import type { Leads } from "../../../base/html/cells.ts";

const usualRows = 6;

/** A block `table`: the first rows of a report up to the last whole day, as a card. */
export async function writeTableBlock(block: Block, context: PageContext): Promise<Markup> {
  const { report } = block.asked!;
  const question = buildBlockQuestion(block.asked!, context, "last whole day");
  return await context.answer(report, question, async (answer) => {
    const { rows, total } = await readRows(answer, block.rows ?? usualRows);
    const title = block.title ?? report.title;
    const all = findListedReport(block, context);
    if (total === 0)
      return html`<div class="card">
        <div class="hd"><h2>${title}</h2></div>
        <div class="bd"><p class="muted">No rows.</p></div>
      </div>`;
    const { columns, cells } = arrangeColumns(answer.columns, rows, context);
    return writeTable({
      columns,
      rows: cells,
      label: title,
      title,
      display: context.display,
      leads: chooseLeads(answer.columns, context.leads),
      actions: all === undefined ? undefined : html`<a class="small" href="${all}">report</a>`,
      foot:
        rows.length === total
          ? undefined
          : html`<span>${countText(rows.length)} of ${formatCount(total, "row")}</span>`,
    });
  });
}

/** Finds the report page of a block, or of its chart; undefined if none exists. */
export function findListedReport(
  { asked, chart }: Pick<Block, "asked" | "chart">,
  { reports, isLinked }: PageContext,
): string | undefined {
  if (asked === undefined || !isLinked) return undefined;
  const { report } = asked;
  const [, linked] = /^report:(.+)$/.exec((chart ?? report.chart)?.link ?? "") ?? [];
  const name = [report.name, linked].find((each) => each !== undefined && reports.has(each));
  return name === undefined ? undefined : `/reports/${name}`;
}

// A column `report` names the report where the first cell of its row leads.
function chooseLeads(columns: readonly Column[], leads: Leads): Leads {
  const at = columns.findIndex(({ name }) => name === "report");
  if (at < 0) return leads;
  const [first] = columns;
  return (column, cell, row) =>
    column.name === first?.name ? `/reports/${String(row[at])}` : leads(column, cell, row);
}

type Arranged = { readonly columns: readonly TableColumn[]; readonly cells: readonly Row[] };

// Kinds have words, risks are never lifted into the heading, and a bar beside sizes and jobs compares them.
function arrangeColumns(
  all: readonly Column[],
  rows: readonly Row[],
  { display, days }: PageContext,
): Arranged {
  const columns = all.map((column, at): TableColumn => {
    const { name } = column;
    if (name === "event_time" && isOneDay(rows, at))
      return {
        ...column,
        title: "Time",
        isMinor: true,
        isSpare: true,
        write: (cell) => writeClock(String(cell), display),
      };
    if (name === "peak")
      return { ...column, write: (cell, row) => writePeak(cell, row[at + 1] ?? null, display) };
    if (name === "days") return drawsDays(column, days.lastWhole);
    if (name === "kind")
      return { ...column, write: (cell) => html`${writeCategory(String(cell))}` };
    if (name === "because")
      return { ...column, write: (cell) => html`<span class="breaks">${String(cell)}</span>` };
    if (name === "people" || name === "kinds") return { ...column, isSpare: true };
    if (name === "risk") return { ...column, write: (cell) => html`<b>${String(cell)}</b>` };
    if (name === "bytes") return { ...column, title: "Size" };
    return namePerson(column);
  });
  const at = all.findIndex(({ name }) => name === "bytes" || name === "jobs");
  // These are the last of their rows.
  if (at < 0)
    return {
      columns: columns.filter(({ name }) => !/^(?:report|peak_day)$/.test(name)),
      cells: rows,
    };
  const most = Math.max(...rows.map((row) => Number(row[at])));
  const bar: TableColumn = {
    name: "share",
    title: "Compared",
    type: "BIGINT",
    kind: "text",
    isMinor: true,
    isSpare: true,
    write: (cell) => drawShare({ value: Number(cell), most }),
  };
  return { columns: [...columns, bar], cells: rows.map((row) => [...row, row[at]!]) };
}

const drawnDays = 30;

function drawsDays(column: Column, lastDay: string): TableColumn {
  const shown = listDays(moveDay(lastDay, 1 - drawnDays), lastDay);
  const title = `${drawnDays} days`;
  return {
    ...column,
    title,
    write: (cell, row) =>
      drawDays(String(cell), shown, {
        label: `${String(row[0])}, ${title}`,
        compared: drawnDays - 1,
        height: 22,
      }),
  };
}

const dayMs = 86_400_000;

function isOneDay(rows: readonly Row[], at: number): boolean {
  return (
    new Set(rows.map((row) => Math.floor(parseSpaced(`${String(row[at])}Z`) / dayMs))).size === 1
  );
}

// The day is in the heading.
function writeClock(text: string, display: Display): Markup {
  const shown = formatTimeText(text, display).split(" ").at(-1);
  return html`<time title="${formatTimeText(text, { ...display, seconds: true, day: true })}"
    >${shown}</time
  >`;
}

function writePeak(peak: Cell, day: Cell, display: Display): Markup {
  const at = day === null ? "" : formatTimeText(String(day), display).replace(/^\w+ /, "");
  return html`${String(peak)} · <span class="muted">${at}</span>`;
}

function namePerson(column: Column): TableColumn {
  const titles: Readonly<Record<string, string>> = {
    actor: "Person",
    event_time: "Time",
    operation: "Right",
    object: "On",
    subject: "To",
    database_name: "Database",
  };
  const title = titles[column.name];
  return title === undefined ? column : { ...column, title };
}
