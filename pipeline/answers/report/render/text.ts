import { escapeControls } from "../../../base/printable.ts";
import type { Cell, Column, Row, TextForm } from "../../../base/rows/row.ts";
import type { Render } from "../result.ts";
import { writeRowObject } from "../../../base/rows/json-text.ts";
import { formatHuman } from "./layout.ts";

/** A table of GitHub-flavoured Markdown whose cells cannot hold markup, links, bare addresses that become some, or HTML. */
export const renderMarkdown: Render = async function* (result) {
  const { columns } = result;
  yield writeLine(columns.map((column) => escapeCell(column.name)));
  yield writeLine(columns.map((column) => (column.kind === "number" ? "---:" : "---")));
  for await (const batch of result.batches)
    yield batch.map((row) => writeLine(row.map(formatCell))).join("");
};

function writeLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function formatCell(cell: Cell): string {
  return typeof cell === "string" ? escapeCell(cell) : cell === null ? "" : String(cell);
}

function escapeCell(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((part) => escapeLine(escapeControls(part)))
    .join("<br>");
}

// Renderers make links of bare addresses, and some look for them after all escapes are undone. Only markup in their
// midst keeps the parts from being read as one.
const gap = "<!-- -->";

// An underscore inside a word marks nothing, so names like actor_email stay readable.
function escapeLine(text: string): string {
  return text
    .replace(/[\\`*[\]<>|~$!#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`)
    .replaceAll("&", "&amp;")
    .replaceAll("@", `@${gap}`)
    .replaceAll("://", `:${gap}//`)
    .replaceAll(/www(?=\.)/gi, `$&${gap}`)
    .replaceAll(/(?:mailto|xmpp)(?=:)/gi, `$&${gap}`);
}

/** A JSON array of objects, one to a line. */
export const renderJson: Render = async function* (result) {
  let before = "[\n";
  for await (const batch of result.batches) {
    if (batch.length === 0) continue;
    yield before + batch.map((row) => writeRowObject(row, result.columns)).join(",\n");
    before = ",\n";
  }
  yield before === ",\n" ? "\n]\n" : "[]\n";
};

/** Writes a form of text files piece by piece as the rows come. */
export function renderLines(form: TextForm): Render {
  return async function* ({ columns, batches }, options) {
    const header = options.header === false ? "" : form.header(columns, options);
    if (header !== "") yield header;
    for await (const batch of batches) yield form.rows(batch, columns, options);
  };
}

/**
 * Renders one line for each cell and a block for each row, for rows too wide for a table. Nothing is shortened and
 * nulls are left out. A text of several lines continues below its first one.
 */
export const renderRecords: Render = async function* ({ columns, batches }) {
  const names = columns.map(({ name }) => escapeControls(name));
  const width = Math.max(0, ...names.map((name) => name.length));
  let count = 0;
  for await (const batch of batches) {
    const blocks = batch.map((row) => writeBlock(row, columns, names, width, (count += 1)));
    if (blocks.length > 0) yield blocks.join("");
  }
};

function writeBlock(
  row: Row,
  columns: readonly Column[],
  names: readonly string[],
  width: number,
  number: number,
): string {
  const lines = row.flatMap((cell, i) => {
    const [first, ...more] = formatLines(cell, columns[i]!);
    if (first === undefined) return [];
    const name = names[i]!.padEnd(width);
    return [
      `${name}  ${first}`.trimEnd(),
      ...more.map((line) => `${" ".repeat(width)}  ${line}`.trimEnd()),
    ];
  });
  return `${[`── ${number} ${"─".repeat(Math.max(2, width - String(number).length))}`, ...lines].join("\n")}\n\n`;
}

function formatLines(cell: Cell, column: Column): string[] {
  if (cell === null) return [];
  if (column.kind !== "text") return [formatHuman(cell, column)];
  return String(cell)
    .split(/\r\n|[\r\n]/)
    .map((line) => escapeControls(line.replaceAll("\t", "  ")));
}
