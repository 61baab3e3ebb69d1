import { createHash } from "node:crypto";
import { readAsset } from "../home/assets.ts";
import { html, type Markup, getMarkupText, trustMarkup } from "./markup.ts";
import type { Cell, Column, Row } from "../rows/row.ts";

export type DocumentOptions = {
  readonly head?: Markup;
  /** Whether the page has forms, which go to where it came from. */
  readonly hasForms?: boolean;
  /** Scripts of this package for this page, as text: those that run once it is there, and those that run before. */
  readonly scripts?: readonly string[];
  readonly headScripts?: readonly string[];
  /** What the styles that a script adds are known by; another one for each page. */
  readonly styleNonce?: string;
};

/** The style of all pages, split by what it is about. */
const styleSheets = ["tokens", "frame", "cards", "tables", "charts", "lanes", "forms", "print"];

/**
 * Writes a whole HTML page that loads nothing: style and script are part of it, and its content security policy permits
 * nothing else.
 */
export function htmlDocument(title: string, body: Markup, more: DocumentOptions = {}): string {
  const { head, hasForms = false, headScripts = [], styleNonce } = more;
  const style = styleSheets
    .map((name) => readAsset(`pipeline/base/html/style/${name}.css`))
    .join("");
  const scripts = [readAsset("pipeline/base/html/tables.js"), ...(more.scripts ?? [])];
  const nonce = styleNonce === undefined ? "" : ` 'nonce-${styleNonce}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${computeHash(style)}${nonce}`,
    `script-src ${[...headScripts, ...scripts].map(computeHash).join(" ")}`,
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
  ].join("; ");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="${hasForms ? "same-origin" : "no-referrer"}" />
        <title>${title}</title>
        ${head} ${trustMarkup(`<style>${style}</style>`)} ${headScripts.map(writeScript)}
      </head>
      <body>
        ${body} ${scripts.map(writeScript)}
      </body>
    </html> `;
  return getMarkupText(page);
}

function writeScript(script: string): Markup {
  return trustMarkup(`<script>${script}</script>`);
}

function computeHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const maxCellCharacters = 2000;

/** Where a cell leads to; undefined where it leads nowhere. */
export type Leads = (column: Column, cell: Cell, row: Row) => string | undefined;

/** A table of rows for `tables.js`; `label` names it for those who do not see it. */
export function htmlTable(
  columns: readonly Column[],
  rows: readonly Row[],
  label: string,
  leads: Leads = () => undefined,
): Markup {
  const classes = columns.map(({ kind }) => kind);
  const head = columns.map(
    ({ name }, i) => html`<th scope="col" class="${classes[i]}">${name}</th>`,
  );
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${columns.map((column, i) => writeCellMarkup(column, row[i]!, row, leads))}
      </tr> `,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table data-sorts>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`;
}

/** A row with its texts cut to what a page shows: those of a megabyte would fill the memory, and no page opens with them. */
export function shortenRow(row: Row): Row {
  return row.map((cell) =>
    typeof cell === "string" && cell.length > maxCellCharacters ? writeCellText(cell) : cell,
  );
}

function writeCellMarkup(column: Column, cell: Cell, row: Row, leads: Leads): Markup {
  const to = cell === null ? undefined : leads(column, cell, row);
  const text = writeCellText(cell);
  const content = to === undefined ? text : html`<a href="${to}">${text}</a>`;
  return html`<td class="${column.kind}">${content}</td>`;
}

// What is cut is as long as what is not, so that it is cut once.
function writeCellText(cell: Cell): string {
  if (cell === null) return "";
  const text = String(cell);
  if (text.length <= maxCellCharacters) return text;
  const note = ` … (${text.length} characters; other formats have all)`;
  return `${text.slice(0, maxCellCharacters - note.length)}${note}`;
}
