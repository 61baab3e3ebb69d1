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

function cellMarkup(column: Column, cell: Cell, row: Row, leads: Leads): Markup {
  const to = cell === null ? undefined : leads(column, cell, row);
  const text = cellText(cell);
  const content = to === undefined ? text : html`<a href="${to}">${text}</a>`;
  return html`<td class="${column.kind}">${content}</td>`;
}

// A text of a megabyte would make the page one that nobody can open.
function cellText(cell: Cell): string {
  if (cell === null) return "";
  const text = String(cell);
  if (text.length <= maxCellCharacters) return text;
  return `${text.slice(0, maxCellCharacters)} … (${text.length} characters; other formats have all)`;
}
