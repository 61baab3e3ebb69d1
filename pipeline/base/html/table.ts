import type { Cell, Column, Row } from "../rows/row.ts";
import { html, type Markup } from "./markup.ts";

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
        ${columns.map((column, i) => cellMarkup(column, row[i]!, row, leads))}
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
export function shownRow(row: Row): Row {
  return row.map((cell) =>
    typeof cell === "string" && cell.length > maxCellCharacters ? cellText(cell) : cell,
  );
}

function cellMarkup(column: Column, cell: Cell, row: Row, leads: Leads): Markup {
  const to = cell === null ? undefined : leads(column, cell, row);
  const text = cellText(cell);
  const content = to === undefined ? text : html`<a href="${to}">${text}</a>`;
  return html`<td class="${column.kind}">${content}</td>`;
}

// What is cut is as long as what is not, so that it is cut once.
function cellText(cell: Cell): string {
  if (cell === null) return "";
  const text = String(cell);
  if (text.length <= maxCellCharacters) return text;
  const note = ` … (${text.length} characters; other formats have all)`;
  return `${text.slice(0, maxCellCharacters - note.length)}${note}`;
}
