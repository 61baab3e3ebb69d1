import { randomBytes } from "node:crypto";
import { contract } from "../../../../schemas/generated/contract.ts";
import { readAsset } from "../../../base/home/assets.ts";
import type { DocumentOptions } from "../../../base/html/document.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import { type Report, selectReports } from "../../../base/report/find.ts";
import { writePlainStatement } from "../../../answers/report/statement.ts";
import { writePage } from "../frame.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { type ChartChoice, writePlan, writeResult } from "./result.ts";
import { readExample, writeTables } from "./tables.ts";

const shownHistory = 20;
// A longer address is refused by servers and proxies; such a statement has no link, and can be saved.
const maxLinkCharacters = 8000;

export type StatementView = {
  readonly sql: string;
  /** Whether the statement runs, and is not only shown. */
  readonly isAsked: boolean;
  /** Whether its plan is shown instead of its rows. */
  readonly isExplained?: boolean;
  /** Whether it is the example of the first page, which cannot be saved. */
  readonly isExample?: boolean;
  readonly choice?: ChartChoice;
  readonly note?: Markup;
};

const noChoice: ChartChoice = { chart: "", x: "", y: "", stack: "" };

/** An editor for one statement, with its result beside tables and examples. */
export async function writeSqlPage(visit: Visit, view: StatementView): Promise<string> {
  const { sql, isAsked, note } = view;
  const { site } = visit;
  const result = sql.trim() === "" ? null : await writeOutcome(visit, view);
  const { field, page } = buildEditor(site, sql);
  const link = buildLink(view);
  return writePage(
    {
      visit,
      page: "sql",
      title: "SQL",
      subtitle: "DuckDB, read-only · one SELECT on the published data · times in UTC",
      actions: html`<button class="btn" id="save-statement" type="button" hidden>Save as…</button>
        ${link === undefined ? null : html`<button class="btn" type="button" hidden data-copies="${link}">Copy link</button>`}`,
    },
    html`${note}
      <div class="split b">
        ${writeTables()}
        <div>
          <form
            method="post"
            action="/sql"
            id="statement"
            class="card ed"
            ${isAsked && link !== undefined ? html` data-link="${link}"` : null}
          >
            ${field}
            <div class="foot">
              <button class="btn pri">Run</button><span>Ctrl-Enter</span>
              <button class="btn" name="explain" value="1">Explain</button>
            </div>
          </form>
          ${result} ${view.isExample !== true ? writeSaveForm(site, sql) : null}
          ${writeHistory(site)}
        </div>
      </div>`,
    {
      ...page,
      scripts: [
        ...(page.scripts ?? []),
        ...scripts.map((path) => readAsset(`pipeline/adapters/serve/${path}`)),
      ],
    },
  );
}

async function writeOutcome(
  visit: Visit,
  { sql, isAsked, isExplained, choice = noChoice }: StatementView,
): Promise<Markup | null> {
  if (isExplained === true) return writePlan(visit, sql);
  return isAsked ? writeResult(visit, { sql, choice }) : null;
}

const scripts = ["sql/statements.js", "reports/links.js"];

/** The address that runs a statement; undefined where it would be too long. */
function buildLink({ sql, choice = noChoice }: StatementView): string | undefined {
  const chosen = Object.entries(choice).filter(([, value]) => value !== "");
  const link = `/sql?${new URLSearchParams({ sql, ...Object.fromEntries(chosen) }).toString()}`;
  return sql.trim() === "" || link.length > maxLinkCharacters ? undefined : link;
}

/** The page without a statement in its address: an example to run or to replace. */
export function writeFirstPage(visit: Visit): Promise<string> {
  return writeSqlPage(visit, {
    sql: readExample("failed_sign_ins_by_day"),
    isAsked: false,
    isExample: true,
  });
}

/** Writes the statement of a report for editing; throws UsageError for an unknown report. */
export function writeStatementPage(visit: Visit, name: string): Promise<string> {
  const { site } = visit;
  const [report] = selectReports(site.found().reports, [name]) as [Report];
  const sql = writePlainStatement(report, site.world.now());
  return writeSqlPage(visit, { sql, isAsked: false });
}

function writeSaveForm({ queriesFolder, forms }: Site, sql: string): Markup | null {
  if (queriesFolder === undefined || sql.trim() === "") return null;
  return html`<form method="post" action="/sql/save" class="card mt12">
    <div class="bd form">
      ${forms.write("/sql/save")}
      <input type="hidden" name="sql" value="${escapeField(sql)}" />
      <label class="field">Name<input name="name" required /></label>
      <label class="field">Question<input name="title" required /></label>
      <label class="field">One row per<input name="grain" required /></label>
      <button class="btn">Save as a report</button>
    </div>
  </form>`;
}

function writeHistory({ asked }: Site): Markup | null {
  const statements = asked.statements(shownHistory);
  if (statements.length === 0) return null;
  return html`<details class="card fold mt12">
    <summary>History</summary>
    ${statements.map(
      (sql) =>
        html`<form method="post" action="/sql" class="before">
          <input type="hidden" name="sql" value="${escapeField(sql)}" />
          <pre>${sql}</pre>
          <button class="btn s">Run again</button>
          <button class="btn s" name="change" value="1">Change</button>
        </form>`,
    )}
  </details>`;
}

/** The field of a statement, and what the page needs that it becomes an editor. */
type Editor = { readonly field: Markup; readonly page: DocumentOptions };

/** An editor that completes tables, columns and reports; a plain field where its script was not built. */
export function buildEditor(site: Site, sql: string): Editor {
  const { editorScript } = site;
  if (editorScript === undefined) return { field: writeField(sql), page: {} };
  const nonce = randomBytes(16).toString("base64");
  const known = escapeField(JSON.stringify(listKnown(site)));
  return {
    field: writeField(sql, html` data-nonce="${nonce}" data-known="${known}"`),
    page: { scripts: [editorScript], styleNonce: nonce },
  };
}

function writeField(sql: string, data?: Markup): Markup {
  return html`<label
    ><span class="off-screen">One SELECT on the published data</span
    ><textarea name="sql" rows="8" spellcheck="false" required${data}>${escapeField(sql)}</textarea>
  </label>`;
}

function listKnown({ found, world }: Site): object {
  const tables = contract.map(({ name, columns }) => [name, columns.map((column) => column.name)]);
  const reports = found().reports.map((report) => ({
    name: report.name,
    title: report.title,
    text: writePlainStatement(report, world.now()),
  }));
  return { tables: Object.fromEntries(tables) as object, reports };
}
