import type { Cell, Row } from "../rows/row.ts";
import { countText } from "../terminal/amounts.ts";
import { isIdentifier, writeCell } from "./cells.ts";
import {
  arrangeColumns,
  getTitle,
  type PlacedColumn,
  type Table,
  type TableColumn,
} from "./columns.ts";
import { type Content, html, type Markup } from "./markup.ts";

/** A table as a card: a column with one value is lifted into its heading, an empty one left out. */
export function writeTable(table: Table): Markup {
  const { label, title, note, actions, foot, isEventList = false } = table;
  const { columns, lifted, hiddenCount, isWide } = arrangeColumns(table);
  const all = hiddenCount > 0 || isWide ? writeAllColumns(table, hiddenCount === 0) : null;
  const body = html`<div class="tw" role="region" aria-label="${label}">
    <table class="${isEventList ? "st stack" : "st"}" ${table.sorting ? null : html` data-sorts`}>
      <thead>
        <tr>
          ${columns.map((each) => writeHead(each, table.sorting))}
        </tr>
      </thead>
      <tbody>
        ${table.rows.map((row) => writeRow(table, columns, row))}
      </tbody>
    </table>
  </div>`;
  const below =
    foot || all ? html`<div class="foot">${foot}<span class="sp"></span>${all}</div>` : null;
  if (title === undefined)
    return html`<div class="tab">${writeLifted(lifted)}${body}${below}</div>`;
  return html`<div class="card tab" ${table.id === undefined ? null : html` id="${table.id}"`}>
    <div class="hd">
      <h2>${title}</h2>
      <span class="muted"
        >${note}${note && lifted.length > 0 ? " · " : null}${lifted.join(" · ")}</span
      >
      <span class="sp"></span>
      ${actions}
    </div>
    <div class="bd"></div>
    ${body}${below}
  </div>`;
}

type Head = string | readonly [title: string, classes: string];

/** Writes a table whose rows are markup already: plain, in the style of `writeTable`, or sortable as well. */
export function writePlainTable(
  label: string,
  heads: readonly Head[],
  rows: Content,
  style?: "st" | "sorted",
): Markup {
  const region = style === undefined ? html` tabindex="0"` : null;
  return html`<div class="tw" role="region" aria-label="${label}"${region}>
    <table${style && html` class="st"`}${style === "sorted" && html` data-sorts`}>
      <thead>
        <tr>
          ${heads.map(writePlainHead)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function writePlainHead(head: Head): Markup {
  const [title, classes] = [head].flat();
  return classes === undefined
    ? html`<th scope="col">${title}</th>`
    : html`<th scope="col" class="${classes}">${title}</th>`;
}

function writeLifted(lifted: readonly string[]): Markup | null {
  return lifted.length === 0 ? null : html`<p class="lifted small muted">${lifted.join(" · ")}</p>`;
}

// Where a wide screen shows every column, only narrow ones offer it.
function writeAllColumns({ columns, showsAll = false }: Table, isForNarrow: boolean): Markup {
  return html`<label class="${isForNarrow ? "all narrow" : "all"}"
    ><input class="cb" type="checkbox" ${showsAll ? html` checked` : null} />All columns
    (${countText(columns.length)})</label
  >`;
}

function writeHead({ column, classes }: PlacedColumn, sorting: Table["sorting"]): Markup {
  const title = getTitle(column);
  if (sorting === undefined)
    return html`<th scope="col" class="${classes}" data-column="${column.name}">${title}</th>`;
  const direction = sorting.isDescending ? "descending" : "ascending";
  const sorted = column.name === sorting.column ? html` aria-sort="${direction}"` : null;
  return html`<th scope="col" class="${classes}" ${sorted}>
    <a href="${sorting.getHref(column)}">${title}</a>
  </th>`;
}

function writeRow(table: Table, columns: readonly PlacedColumn[], row: Row): Markup {
  const { leads, display, isMarked } = table;
  const cells = columns.map(({ column, index, classes }) => {
    const cell = row[index] ?? null;
    const to = cell === null ? undefined : leads?.(column, cell, row);
    const content = column.write?.(cell, row) ?? writeCell(column, cell, to, display);
    return html`<td class="${classes}" ${writeSortValue(column, cell)}>${content}</td>`;
  });
  return html`<tr${isMarked?.(row) === true ? html` class="hl"` : null}>
    ${cells}
  </tr> `;
}

// The text of a number or a time does not sort correctly.
function writeSortValue(column: TableColumn, cell: Cell): Markup | null {
  const isPlain = column.kind !== "number" && column.kind !== "time";
  return isPlain || cell === null || isIdentifier(column) ? null : html` data-v="${String(cell)}"`;
}
