import { html, getMarkupText, type Markup } from "../../base/html/markup.ts";
import { escapeControls } from "../../base/printable.ts";
import type { Cell, RowList } from "../../base/rows/row.ts";

const widest = 60;

/** A table in plain text, its columns aligned; long values are cut. */
export function writeTextTable({ columns, rows }: RowList): string {
  const lines = [
    columns.map(({ name }) => truncateText(name)),
    ...rows.map((row) => row.map(formatCell)),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The same as HTML, all of it escaped. */
export function writeHtmlTable({ columns, rows }: RowList): Markup {
  return html`<table border="1" cellpadding="4" cellspacing="0">
    <tr>
      ${columns.map(({ name }) => html`<th align="left">${truncateText(name)}</th>`)}
    </tr>
    ${rows.map(
      (row) =>
        html`<tr>
          ${row.map((cell) => html`<td>${formatCell(cell)}</td>`)}
        </tr>`,
    )}
  </table>`;
}

/** Writes a message as HTML: paragraphs and an optional table. */
export function writeHtmlMessage(
  paragraphs: readonly string[],
  table: RowList | undefined,
): string {
  const body = html`${paragraphs.map((text) => html`<p>${text}</p>`)}
  ${table === undefined ? null : writeHtmlTable(table)}`;
  return `<!doctype html>${getMarkupText(body)}`;
}

function formatCell(cell: Cell): string {
  return cell === null ? "" : truncateText(String(cell));
}

function truncateText(text: string): string {
  const shown = escapeControls(text);
  return shown.length > widest ? `${shown.slice(0, widest - 1)}…` : shown;
}
