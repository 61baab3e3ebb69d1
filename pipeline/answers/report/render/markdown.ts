import { printable } from "../../../base/printable.ts";
import type { Cell } from "../../../base/rows/row.ts";
import type { Render } from "../result.ts";

/** A table of GitHub-flavoured Markdown whose cells cannot hold markup, links, bare addresses that become some, or HTML. */
export const renderMarkdown: Render = async function* (result) {
  const { columns } = result;
  yield line(columns.map((column) => escaped(column.name)));
  yield line(columns.map((column) => (column.kind === "number" ? "---:" : "---")));
  for await (const batch of result.batches)
    yield batch.map((row) => line(row.map(cellText))).join("");
};

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function cellText(cell: Cell): string {
  return typeof cell === "string" ? escaped(cell) : cell === null ? "" : String(cell);
}

function escaped(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((part) => escapedLine(printable(part)))
    .join("<br>");
}

// Renderers make links of bare addresses, and some look for them after all escapes are undone. Only markup in their
// midst keeps the parts from being read as one.
const gap = "<!-- -->";

// An underscore inside a word marks nothing, so names like actor_email stay readable.
function escapedLine(text: string): string {
  return text
    .replace(/[\\`*[\]<>|~$!#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`)
    .replaceAll("&", "&amp;")
    .replaceAll("@", `@${gap}`)
    .replaceAll("://", `:${gap}//`)
    .replaceAll(/www(?=\.)/gi, `$&${gap}`)
    .replaceAll(/(?:mailto|xmpp)(?=:)/gi, `$&${gap}`);
}
