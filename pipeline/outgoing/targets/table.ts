import {
  mailColours,
  mailTextWidth,
  style,
  writeMailDocument,
  writeMailHead,
  writeMailRow,
} from "../../base/html/mail.ts";
import { html, getMarkupText, type Markup } from "../../base/html/markup.ts";
import { escapeControls } from "../../base/printable.ts";
import type { Cell, Row, RowList } from "../../base/rows/row.ts";
import { wrapText } from "../../base/terminal/amounts.ts";

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

/** A table in plain text where it fits a message; else a block of lines for each row. */
export function writeMailTable(table: RowList): string {
  const whole = writeTextTable(table);
  if (whole.split("\n").every((line) => line.length <= mailTextWidth)) return whole;
  const names = table.columns.map(({ name }) => truncateText(name));
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return table.rows.map((row) => writeBlock(row, names, width)).join("\n\n");
}

function writeBlock(row: Row, names: readonly string[], width: number): string {
  return row
    .flatMap((cell, at) => {
      if (cell === null) return [];
      const [first, ...others] = wrapText(formatCell(cell), mailTextWidth - width);
      return [
        `${names[at]!.padEnd(width)}${first}`,
        ...others.map((line) => " ".repeat(width) + line),
      ];
    })
    .join("\n");
}

const { line, text: textColour, muted } = mailColours;

function writeHtmlTable({ columns, rows }: RowList): Markup {
  const cell = `padding:6px 12px 6px 0;text-align:left;vertical-align:top;white-space:nowrap;${line};${textColour}`;
  return html`<table cellpadding="0" cellspacing="0" ${style("font-size:13px;line-height:18px")}>
    <tr>
      ${columns.map(({ name }) => html`<th${style(`${cell};${muted}`)}>${truncateText(name)}</th>`)}
    </tr>
    ${rows.map(
      (row) =>
        html`<tr>
          ${row.map((each) => html`<td${style(cell)}>${formatCell(each)}</td>`)}
        </tr>`,
    )}
  </table>`;
}

/** What a message says: a title, lines of text, and the address of the page that it may link. */
type HtmlMessage = {
  readonly title: string;
  readonly text: string;
  readonly link?: string | undefined;
};

export function writeHtmlMessage(
  { title, text, link }: HtmlMessage,
  table: RowList | undefined,
): string {
  const lines = text.split("\n");
  return getMarkupText(
    writeMailDocument({
      title,
      preheader: lines[0] ?? "",
      rows: [
        writeMailHead("auditlake", title.replace(/^auditlake: /, "")),
        writeMailRow("padding:10px 16px 12px", html`${lines.map((each) => writeLine(each, link))}`),
        table === undefined
          ? null
          : writeMailRow(
              `padding:12px 16px;${line}`,
              html`<div${style("overflow-x:auto")}>${writeHtmlTable(table)}</div>`,
            ),
      ],
      below: "Sent by auditlake because this address is in its mail target.",
    }),
  );
}

const fact = /^(subject|finding|page|next|see|due): (.*)$/;

// Facts below the sentences of a message have a name each.
function writeLine(text: string, link: string | undefined): Markup {
  const [, name, value = ""] = fact.exec(text) ?? [];
  const paragraph = (size: string, content: Markup | string): Markup =>
    html`<p${style(`margin:0 0 6px;white-space:pre-wrap;${size};${textColour}`)}>${content}</p>`;
  if (name === undefined) return paragraph("font-size:15px;line-height:22px", text);
  const isCommand = name === "next" || name === "see";
  const shown =
    value === link
      ? html`<a href="${value}" ${style("color:#2456c8")}>${value}</a>`
      : html`<span${style(isCommand ? "font-family:monospace" : "")}>${value}</span>`;
  return paragraph(
    "font-size:13px;line-height:19px",
    html`<span${style(muted)}>${name}</span> ${shown}`,
  );
}

function formatCell(cell: Cell): string {
  return cell === null ? "" : truncateText(String(cell));
}

function truncateText(text: string): string {
  const shown = escapeControls(text);
  return shown.length > widest ? `${shown.slice(0, widest - 1)}…` : shown;
}
