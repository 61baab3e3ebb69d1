import { AuditlakeError } from "../../../base/errors.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { type ChartForm, chartKinds, parseChart } from "../../../base/report/chart-form.ts";
import type { Column, Row } from "../../../base/rows/row.ts";
import { countText, formatCount, formatDuration } from "../../../base/terminal/amounts.ts";
import { askStatement } from "../../../answers/ask/confined-engine.ts";
import { renderRows } from "../../../answers/report/formats.ts";
import { readAnswer } from "../../../answers/report/render/html.ts";
import type { Sink } from "../../../answers/report/result.ts";
import { newLeads } from "../leads.ts";
import { newSinkUntil } from "../pieces.ts";
import type { Visit } from "../visit.ts";
import { writeFault } from "./fault.ts";

const maxRows = 1000;
const maxBytes = 20e6;
const maxCsvRows = 10_000_000;
const maxCsvBytes = 2e9;

/** Chosen chart of a result: kind and columns; empty texts for the default. */
export type ChartChoice = Readonly<Record<"chart" | "x" | "y" | "stack", string>>;

type Statement = { readonly sql: string; readonly choice: ChartChoice };

/** Runs a statement in a process of its own, which reads the published file alone, and writes its result. */
export async function writeResult(visit: Visit, { sql, choice }: Statement): Promise<Markup> {
  const { site, gone } = visit;
  site.asked.add("sql", sql);
  // No more at once than their memory suffices for: each takes a process.
  return site.statements.run(() => answerStatement(visit, sql, choice, gone));
}

async function answerStatement(
  visit: Visit,
  sql: string,
  choice: ChartChoice,
  gone: AbortSignal,
): Promise<Markup> {
  const { world } = visit.site;
  const beganMs = world.now();
  try {
    await using result = await runStatement(visit, sql, { maxRows, maxBytes });
    const chart = chooseChart(result.columns, choice);
    const about = { title: "the statement", facts: [], chart };
    const { columns, rows, count, figure } = await readAnswer(result, about, maxRows);
    const isCut = result.truncation() !== undefined;
    const took = formatSeconds((world.now() - beganMs) / 1000);
    const heading = isCut ? `The first ${formatCount(count, "row")}` : formatCount(count, "row");
    const choices = writeChoice(columns, choice, chart);
    const csv = html`<button class="btn s" form="statement" formaction="/sql/rows.csv">
      CSV
    </button>`;
    if (count === 0) return writeNoRows(took);
    return html`${figure === undefined ? null : writeChartCard(figure, choices)}
      <div class="mt12">
        ${writeTable({
          columns,
          rows,
          label: "Rows of the statement",
          title: heading,
          note: took,
          actions: html`<span class="row small"
            >${figure === undefined ? choices : null}${csv}</span
          >`,
          besideWidth: 288,
          display: visit.display,
          leads: newLeads({ since: "30d" }),
          showsAll: visit.showsAllColumns,
          foot: html`<span
            >${isCut ? `Showing ${countText(count)}; there are more · CSV has all` : heading}</span
          >`,
        })}
      </div>`;
  } catch (error) {
    if (gone.aborted || !(error instanceof AuditlakeError)) throw error;
    return writeFault(error, sql);
  }
}

/** Writes the plan of a statement, which does not run. */
export async function writePlan(visit: Visit, sql: string): Promise<Markup> {
  const { site, gone } = visit;
  site.asked.add("sql", sql);
  return site.statements.run(async () => {
    try {
      await using plan = await runStatement(visit, sql, { maxRows, maxBytes }, "plan");
      const rows: Row[] = [];
      for await (const batch of plan.batches) rows.push(...batch);
      return html`<details class="card fold mt12" open>
        <summary>Plan</summary>
        <div class="bd">
          <pre class="plan" tabindex="0">${rows.map((row) => String(row[1]))}</pre>
        </div>
      </details>`;
    } catch (error) {
      if (gone.aborted || !(error instanceof AuditlakeError)) throw error;
      return writeFault(error, sql);
    }
  });
}

function writeNoRows(took: string): Markup {
  return html`<div class="card mt12">
    <div class="hd">
      <h2>No rows</h2>
      <span class="muted">${took}</span>
    </div>
    <p class="bd">
      The statement ran, and no row meets its conditions. Remove one, or look at the columns under
      Tables.
    </p>
  </div>`;
}

function writeChartCard(figure: Markup, choices: Markup): Markup {
  return html`<div class="card mt12">
    <div class="hd">
      <h2>Chart</h2>
      <span class="sp"></span>${choices}
    </div>
    <div class="bd">${figure}</div>
  </div>`;
}

function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(2)} s` : formatDuration(seconds);
}

function runStatement(
  { site, gone }: Visit,
  sql: string,
  most: { readonly maxRows: number; readonly maxBytes: number },
  result: "rows" | "plan" = "rows",
): ReturnType<typeof askStatement> {
  const { settings, world, statements, timeoutMs } = site;
  const limits = { timeoutMs, timeoutName: "--timeout of serve", ...most, ...statements.memory };
  return askStatement({ sql, values: {}, isReport: false, result }, limits, settings, {
    ...world,
    signal: gone,
  });
}

export async function writeStatementCsv(visit: Visit, sql: string, sink: Sink): Promise<void> {
  visit.site.asked.add("sql", sql);
  await visit.site.statements.run(async () => {
    await using result = await runStatement(visit, sql, {
      maxRows: maxCsvRows,
      maxBytes: maxCsvBytes,
    });
    await renderRows("csv", result, newSinkUntil(visit.gone, sink));
    if (result.truncation() !== undefined)
      throw new AuditlakeError("the result is larger than a download");
  });
}

/** Chooses the chart of a result: the requested one, else bars if it has a day and a number. */
export function chooseChart(
  columns: readonly Column[],
  choice: ChartChoice,
): ChartForm | undefined {
  if (choice.chart === "table") return undefined;
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  const day = columns.find(({ kind }) => kind === "time");
  const x = has(choice.x) ? choice.x : (day ?? columns[0])?.name;
  const numbers = columns.filter(({ name, kind }) => kind === "number" && name !== x);
  const y = has(choice.y) ? choice.y : numbers[0]?.name;
  if (x === undefined || y === undefined || (choice.chart === "" && day === undefined))
    return undefined;
  const stack = has(choice.stack) ? ` stack=${choice.stack}` : "";
  const isDaily = columns.find(({ name }) => name === x)?.type === "DATE";
  const kind = choice.chart || "bars";
  const usual = isDaily && kind === "bars" ? " usual=weekday" : "";
  const form = parseChart(`${kind} x=${x} y=${y}${stack}${usual}`);
  return typeof form === "string" ? undefined : form;
}

function writeChoice(
  columns: readonly Column[],
  choice: ChartChoice,
  chart: ChartForm | undefined,
): Markup {
  const kinds = chartKinds.filter((kind) => kind !== "heat");
  const names = columns.map(({ name }) => name);
  const numbers = columns.filter(({ kind }) => kind === "number").map(({ name }) => name);
  return html`<span class="row small">
    ${writeSelect("Chart", "chart", chart?.kind ?? "table", ["table", ...kinds])}
    ${
      chart === undefined
        ? null
        : html`${writeSelect("x", "x", chart.x, names)} ${writeSelect("y", "y", chart.y, numbers)}
          ${writeSelect("Stack", "stack", choice.stack, ["", ...names])}`
    }
    <button class="btn s" form="statement">Draw</button>
  </span>`;
}

function writeSelect(
  label: string,
  name: string,
  value: string,
  choices: readonly string[],
): Markup {
  const options = choices.map(
    (each) =>
      html`<option value="${each}" ${each === value ? html` selected` : null}>
        ${each === "" ? "–" : each}
      </option>`,
  );
  return html`<label class="row muted"
    >${label}<select name="${name}" form="statement" data-sends>
      ${options}
    </select></label
  >`;
}
