import { AuditlakeError, getMessage, UsageError } from "../../base/errors.ts";
import { escapeField, html, type Markup } from "../../base/html/markup.ts";
import { renderAnswer } from "../../answers/report/render/html.ts";
import { selectReports, type Report } from "../../base/report/find.ts";
import { writePlainStatement } from "../../answers/report/statement.ts";
import { askStatement } from "../../answers/ask/confined-engine.ts";
import { newLeads } from "./leads.ts";
import { writeProblem, writePage } from "./layout.ts";
import type { Site } from "./site.ts";
import { randomBytes } from "node:crypto";
import { contract } from "../../../schemas/generated/contract.ts";
import type { DocumentOptions } from "../../base/html/document.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";
import { parseHeader } from "../../base/report/header.ts";
import { replaceFile } from "../../answers/report/write.ts";

const maxRows = 1000;
const maxBytes = 20e6;
const shownHistory = 20;

/** What a page of a statement shows besides its field. */
export type StatementView = {
  /** Whether the statement is asked, and not only shown. */
  readonly isAsked: boolean;
  readonly note?: Markup;
};

/** An editor for one statement, with its answer; it runs in a process of its own that reads the published file alone. */
export async function writeSqlPage(
  site: Site,
  sql: string,
  { isAsked, note }: StatementView,
  gone: AbortSignal,
): Promise<string> {
  const answer = isAsked && sql.trim() !== "" ? await writeAnswer(site, sql, gone) : null;
  const { field, page } = buildEditor(site, sql);
  return writePage(
    "SQL",
    html`${note}
      <form method="post" action="/sql">
        ${field}
        <button>Run</button>
      </form>
      ${answer} ${writeSaveForm(site, sql)} ${writeHistory(site)}`,
    page,
  );
}

/** The statement of a report, to be changed; throws UsageError where there is no such report. */
export function writeStatementPage(site: Site, name: string, gone: AbortSignal): Promise<string> {
  const [report] = selectReports(site.found().reports, [name]) as [Report];
  return writeSqlPage(
    site,
    writePlainStatement(report, site.world.now()),
    { isAsked: false },
    gone,
  );
}

// No more at once than their memory is enough for: each takes a process.
async function writeAnswer(site: Site, sql: string, gone: AbortSignal): Promise<Markup> {
  site.asked.add("sql", sql);
  return site.statements.run(() => answerTo(site, sql, gone));
}

async function answerTo(site: Site, sql: string, gone: AbortSignal): Promise<Markup> {
  const { settings, world } = site;
  const asked = { sql, values: {}, isReport: false };
  const time = { timeoutMs: site.timeoutMs, timeoutName: "--timeout of serve" };
  const limits = { ...time, maxRows, maxBytes, ...site.statements.memory };
  try {
    await using result = await askStatement(asked, limits, settings, { ...world, signal: gone });
    const about = { title: "the statement", facts: [], chart: undefined };
    const answer = await renderAnswer(result, about, maxRows, newLeads({ since: "30d" }));
    const truncation = result.truncation();
    return html`${answer}
    ${truncation === undefined ? null : html`<p class="warn">Cut off: there is more than a page shows.</p>`}`;
  } catch (error) {
    if (gone.aborted || !(error instanceof AuditlakeError)) throw error;
    return writeProblem(getMessage(error));
  }
}

function writeSaveForm({ queriesFolder }: Site, sql: string): Markup | null {
  if (queriesFolder === undefined || sql.trim() === "") return null;
  return html`<form method="post" action="/sql/save" class="fields">
    <input type="hidden" name="sql" value="${escapeField(sql)}" />
    <label class="field"><span>Name</span><input name="name" required /></label>
    <label class="field"><span>Question</span><input name="title" required /></label>
    <label class="field"><span>One row per</span><input name="grain" required /></label>
    <button>Save as a report</button>
  </form>`;
}

function writeHistory({ asked }: Site): Markup | null {
  const statements = asked.statements(shownHistory);
  if (statements.length === 0) return null;
  return html`<details>
    <summary>Statements before</summary>
    ${statements.map(
      (sql) =>
        html`<form method="post" action="/sql">
          <input type="hidden" name="sql" value="${escapeField(sql)}" />
          <pre>${sql}</pre>
          <button>Run again</button> <button name="change" value="1">Change</button>
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
  return html`<label class="field wide"
    ><span>One SELECT on the published data</span
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

const namePattern = /^[a-z][a-z0-9_]{0,60}$/;

/** What a person fills in to make a report of a statement. */
type Draft = {
  readonly name: string;
  readonly title: string;
  readonly grain: string;
  readonly sql: string;
};

// Two at once of the same name would both find it free.
const oneAtATime = pLimit(1);

/** Saves a statement as a report of the user's own folder; throws UsageError where it cannot be one. */
export async function saveReport(site: Site, draft: Draft): Promise<string> {
  return oneAtATime(() => storeReport(site, draft));
}

async function storeReport(site: Site, draft: Draft): Promise<string> {
  const { name, sql } = draft;
  if (site.queriesFolder === undefined)
    throw new UsageError("no folder of reports is configured; start serve with --queries DIR");
  if (sql.trim() === "") throw new UsageError("there is no statement to save");
  if (!namePattern.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a report; expected lower case letters, digits and underscores`,
    );
  const path = join(site.queriesFolder, `${name}.sql`);
  if (existsSync(path) || site.found().reports.some((report) => report.name === name))
    throw new UsageError(`a report ${name} exists already; choose another name`);
  const joinLines = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const text = `-- title: ${joinLines(draft.title)}\n-- grain: ${joinLines(draft.grain)}\n${sql.trim()}\n`;
  parseHeader(text, path);
  await replaceFile(path, ({ sink }) => sink(text));
  return path;
}
