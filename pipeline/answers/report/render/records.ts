import { printable } from "../../../base/printable.ts";
import type { Cell, Column, Row } from "../../../base/rows/row.ts";
import type { Render } from "../result.ts";
import { spacedText } from "../../../base/time/text.ts";

/**
 * One line for each cell and a block for each row, for rows too wide for a table. Nothing is shortened and nulls are
 * left out. A text of several lines goes on below its first one.
 */
export const renderRecords: Render = async function* ({ columns, batches }) {
  const names = columns.map(({ name }) => printable(name));
  const width = Math.max(0, ...names.map((name) => name.length));
  let count = 0;
  for await (const batch of batches) {
    const blocks = batch.map((row) => blockOf(row, columns, names, width, (count += 1)));
    if (blocks.length > 0) yield blocks.join("");
  }
};

function blockOf(
  row: Row,
  columns: readonly Column[],
  names: readonly string[],
  width: number,
  number: number,
): string {
  const lines = row.flatMap((cell, i) => {
    const [first, ...more] = textOf(cell, columns[i]!);
    if (first === undefined) return [];
    const name = names[i]!.padEnd(width);
    return [
      `${name}  ${first}`.trimEnd(),
      ...more.map((line) => `${" ".repeat(width)}  ${line}`.trimEnd()),
    ];
  });
  return `${[`── ${number} ${"─".repeat(Math.max(2, width - String(number).length))}`, ...lines].join("\n")}\n\n`;
}

function textOf(cell: Cell, { kind }: Column): string[] {
  if (cell === null) return [];
  const text = String(cell);
  if (kind === "time") return [printable(spacedText(text))];
  return text.split(/\r\n|[\r\n]/).map((line) => printable(line.replaceAll("\t", "  ")));
}
