import type { DuckDBConnection } from "@duckdb/node-api";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { nullable, queryRows, text } from "../../../base/sql/typed-rows.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { buildBlockQuestion, type PageContext, readRows } from "../context.ts";
import { readChecked } from "../open-findings.ts";
import type { Block } from "../page-file.ts";
import { readLine } from "./status.ts";

const usualRows = 20;
const weekMs = 7 * 86_400_000;

/** Writes a collapsed block: rows of a report, the detections without findings, or the pipeline, behind one line. */
export async function writeFolded(block: Block, context: PageContext): Promise<Markup> {
  if (block.show === "checked") return await writeChecked(context);
  if (block.show === "pipeline") return await writePipeline(context);
  const { report } = block.asked!;
  const question = buildBlockQuestion(block.asked!, context, "last whole day");
  return await context.answer(report, question, async (answer) => {
    const { rows, total } = await readRows(answer, block.rows ?? usualRows);
    const title = block.title ?? report.title;
    const table = { columns: answer.columns, rows, label: title, display: context.display };
    return fold(
      title,
      formatCount(total, "row"),
      total === 0 ? html`<p>No rows.</p>` : writeTable(table),
    );
  });
}

function fold(title: string, note: string, content: Markup, isOpen = false): Markup {
  return html`<details class="card fold" ${isOpen ? html` open` : null}>
    <summary>${title} <span class="muted">· ${note}</span></summary>
    <div class="bd">${content}</div>
  </details>`;
}

async function writeChecked(context: PageContext): Promise<Markup> {
  const { source, days } = context;
  const sinceMs = days.wholeUntilMs - weekMs;
  const all = await context.query((connection) => readChecked(connection, source, sinceMs));
  const clean = all.filter(({ findings, outcome }) => findings === 0 && outcome === "done");
  const failed = all.filter(({ outcome }) => outcome !== "done");
  const suppressed = all.reduce((sum, each) => sum + each.suppressed, 0);
  const notes = [
    "7 days",
    ...(suppressed === 0 ? [] : [`${countText(suppressed)} suppressed`]),
    ...(failed.length === 0 ? [] : [`${countText(failed.length)} failed`]),
  ];
  return fold(
    `Checked, nothing found: ${formatCount(clean.length, "detection")}`,
    notes.join(" · "),
    html`<ul class="list">
      ${failed.map(({ detection }) => html`<li>${writeReportLink(detection, context)}: the evaluation failed</li>`)}
      ${clean.map(({ detection }) => html`<li>${writeReportLink(detection, context)}</li>`)}
    </ul>`,
    failed.length > 0,
  );
}

function writeReportLink(name: string, { reports }: PageContext): Markup {
  const title = reports.get(name)?.title;
  return title === undefined ? html`${name}` : html`<a href="/reports/${name}">${title}</a>`;
}

async function writePipeline(context: PageContext): Promise<Markup> {
  const line = await readLine(context);
  const head = await context.query(readHeadLine);
  const { level, gaps, waiting, lateEvents, quarantined, unknownTypes } = line;
  const isWrong = level === "incomplete" || level === "stale" || quarantined > 0;
  const note = [
    level === "complete" || level === "imported" ? "complete" : "incomplete",
    gaps === 0 ? "no gaps" : formatCount(gaps, "gap"),
    formatCount(lateEvents, "late event"),
    `${countText(quarantined)} quarantined`,
  ].join(", ");
  const facts: readonly (readonly [string, string])[] = [
    ["Windows waiting for a second read", countText(waiting)],
    ["Unknown event types", countText(unknownTypes)],
    ...(head === null ? [] : [["Head of the evidence log", head] as const]),
  ];
  return fold(
    "Pipeline",
    note,
    html`<dl class="kv">
      ${facts.map(
        ([label, text]) =>
          html`<dt>${label}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>`,
    isWrong,
  );
}

// The checkpoint in one line: origin, entries, root, signature.
async function readHeadLine(connection: DuckDBConnection): Promise<string | null> {
  const shape = { head: nullable(text) };
  const [row] = await queryRows(connection, "queries/publish/evidence_head.sql#read", shape);
  return row?.head?.trimEnd().replaceAll(/\n+/g, " · ") ?? null;
}
