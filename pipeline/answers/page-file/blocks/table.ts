import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { drawShare } from "../../chart/share.ts";
import type { Column, Row } from "../../../base/rows/row.ts";
import type { Cell } from "../../../base/rows/row.ts";
import { buildBlockQuestion, type PageContext, readRows } from "../context.ts";
import type { Asked, Block } from "../page-file.ts";
import type { Leads } from "../../../base/html/cells.ts";

const usualRows = 6;

/** A block `table`: the first rows of a report up to the last whole day, as a card. */
export async function writeTableBlock(block: Block, context: PageContext): Promise<Markup> {
  const { report } = block.asked!;
  const question = buildBlockQuestion(block.asked!, context, "last whole day");
  return await context.answer(report, question, async (answer) => {
    const { rows, total } = await readRows(answer, block.rows ?? usualRows);
    const title = block.title ?? report.title;
    const all = findListedReport(block.asked!, context);
    if (total === 0)
      return html`<div class="card">
        <div class="hd"><h3>${title}</h3></div>
        <div class="bd"><p class="muted">No rows.</p></div>
      </div>`;
    return writeTable({
      columns: arrangeColumns(answer.columns, rows),
      rows,
      label: title,
      title,
      display: context.display,
      leads: chooseLeads(answer.columns, context.leads),
      actions: all === undefined ? undefined : html`<a class="small" href="${all}">report</a>`,
      foot:
        total === rows.length
          ? undefined
          : html`<span>${rows.length} of ${countText(total)} rows</span>`,
    });
  });
}

/** The page of a report, or of the one that its chart names; undefined where it has none. */
export function findListedReport({ report }: Asked, { reports }: PageContext): string | undefined {
  const [, linked] = /^report:(.+)$/.exec(report.chart?.link ?? "") ?? [];
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

// Sizes in bytes have a bar beside them, which shows how one dwarfs the others.
function arrangeColumns(columns: readonly Column[], rows: readonly Row[]): TableColumn[] {
  return columns.flatMap((column, at): TableColumn[] => {
    if (column.name === "report") return [{ ...column, isHidden: true }];
    if (column.name !== "bytes") return [column];
    const most = Math.max(...rows.map((row) => Number(row[at] ?? 0)));
    const bar = {
      name: "share",
      type: "DOUBLE",
      kind: "text" as const,
      title: "",
      isMinor: true,
      write: (_: Cell, row: Row) => drawShare({ value: Number(row[at] ?? 0), most }),
    };
    return [{ ...column, title: "Size" }, bar];
  });
}
