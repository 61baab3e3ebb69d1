import { readRows } from "../../../answers/page-file/context.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { buildQuestion } from "../../../base/report/params.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { ask } from "../ask.ts";
import { newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";

const rowsShown = 5;
const columnsShown = 5;

/** The first rows of a report with its count, in a card; null where it has no rows. */
export async function writeReportCard(visit: Visit, name: string): Promise<Markup | null> {
  const { site, gone, display } = visit;
  const report = site.found().reports.find((each) => each.name === name && each.isBuiltIn);
  if (report === undefined) return null;
  const given = report.params.some((param) => param.name === "since")
    ? new Map([["since", "30d"]])
    : new Map<string, string>();
  const question = buildQuestion(report, given, site.world.now());
  const { columns, rows, total } = await ask(site, gone, async (connection, signal) => {
    const all = await runStatement(connection, bindQuestion(question), signal);
    return { columns: all.columns, ...(await readRows(all, rowsShown)) };
  });
  const href = `/reports/${name}${given.size === 0 ? "" : "?since=30d"}`;
  if (total === 0) return null;
  return writeTable({
    columns: columns.map((column, i) => ({ ...column, isHidden: i >= columnsShown })),
    rows,
    label: report.title,
    title: report.title,
    note: formatCount(total, "row"),
    display,
    leads: newLeads({ since: "30d" }),
    foot: html`<span>${countText(rows.length)} of ${formatCount(total, "row")}</span
      ><a href="${href}">Show all</a>`,
  });
}
