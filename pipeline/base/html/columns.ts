import { isIP } from "node:net";
import type { Cell, Column, Row } from "../rows/row.ts";
import { shortenMiddle } from "../printable.ts";
import { countText, formatBytes } from "../terminal/amounts.ts";
import { denialKinds } from "./signs.ts";
import { isBytes, isIdentifier, type Leads } from "./cells.ts";
import { type Display, formatTimeText } from "./formats.ts";
import type { Content, Markup } from "./markup.ts";

export type TableColumn = Column & {
  /** Its heading; the name with blanks without one. */
  readonly title?: string;
  /** Whether it is dropped under 860 px. */
  readonly isMinor?: boolean;
  /** Whether it is left out of a table beside a chart on a screen of less than 1440 px. */
  readonly isSpare?: boolean;
  /** Whether it takes the width that others leave, its text cut, so that the table fits. */
  readonly isFlexible?: boolean;
  /** Whether it is behind "All columns". Ids, keys and raw names are without it. */
  readonly isHidden?: boolean;
  /** Writes its cells, instead of the format of its kind and name, which applies where it returns undefined. */
  readonly write?: (cell: Cell, row: Row) => Markup | undefined;
};

/** The order of rows, and where the heading of a column leads to sort by it. */
export type Sorting = {
  readonly column: string | undefined;
  readonly isDescending: boolean;
  readonly getHref: (column: Column) => string;
};

export type Table = {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Row[];
  /** Names the table for those who do not see it. */
  readonly label: string;
  readonly display: Display;
  readonly leads?: Leads | undefined;
  /** Names the card for links that lead to it. */
  readonly id?: string | undefined;
  /** The heading of its card; a table without one has no card. */
  readonly title?: Content;
  readonly note?: Content;
  /** Buttons and links at the end of the heading. */
  readonly actions?: Content;
  /** The line below: how many of how many rows, and links. */
  readonly foot?: Content;
  /** Whether rows are events: in time order of columns, and a list under 860 px. */
  readonly isEventList?: boolean;
  /** Width of the part beside the table on a wide screen; default none. */
  readonly besideWidth?: number;
  /** Whether all columns are shown at once. */
  readonly showsAll?: boolean;
  /** How all rows are sorted on the server, where the table shows only the first of them. */
  readonly sorting?: Sorting | undefined;
  readonly isMarked?: (row: Row) => boolean;
};

const usualTitles: Readonly<Record<string, string>> = {
  event_time: "Time",
  event_name: "Event",
  actor: "Person",
  actor_email: "Person",
  ip_address: "Address",
  denial_kind: "Kind",
  database_name: "Database",
};

export function getTitle({ name, title }: Pick<TableColumn, "name" | "title">): string {
  if (title !== undefined) return title;
  const words = name.replaceAll("_", " ").trim();
  const text = usualTitles[name] ?? words.replaceAll(/\bsign (ins?)\b/g, "sign-$1");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export type PlacedColumn = {
  readonly column: TableColumn;
  /** Where its cells are in a row. */
  readonly index: number;
  readonly classes: string;
};

type Arrangement = {
  readonly columns: readonly PlacedColumn[];
  /** A phrase for each column that has one value. */
  readonly lifted: readonly string[];
  readonly hiddenCount: number;
  /** Whether a narrower screen hides more of them. */
  readonly isWide: boolean;
};

// What fits beside each other on a screen of 1440 px with a scrollbar, and on narrower ones with the class of what does
// not fit there.
const mostWidth = 1376;
const narrower = [
  [1216, "w1280"],
  [960, "w1024"],
  [796, "w860"],
] as const;
const mostOnPhone = 5;

// Of an event people read these first, in this order.
const eventOrder =
  "event_time outcome event_name what actor actor_email who ip_address denial_kind resource resource_name database_name path query_text".split(
    " ",
  );
const rawNames = new Set(
  "event_key canonical_name actor_email_source event_result first_seen_at source user_agent".split(
    " ",
  ),
);

/** Decides which columns are shown, hidden, lifted into the heading or left out. */
export function arrangeColumns(table: Table): Arrangement {
  const placed = table.columns.map((column, index) => ({ column, index }));
  const ordered = table.isEventList === true ? placed.toSorted(compareOrder) : placed;
  const columns: PlacedColumn[] = [];
  const lifted: string[] = [];
  let [shown, width] = [0, table.besideWidth ?? 0];
  for (const { column, index } of ordered) {
    const single = shown === 0 ? undefined : findShared(table, column, index);
    const isLifted = single !== undefined && single !== null && column.write === undefined;
    if (isLifted && !isHiddenName(column, table.columns))
      lifted.push(describeSingle(column, single, table));
    // A column with a format of its own has no phrase.
    const isSaid = single === null || (single !== undefined && column.write === undefined);
    const isUnwanted = isSaid || (column.isHidden ?? isHiddenName(column, table.columns));
    const own = isUnwanted ? 0 : estimateWidth(column, table, index);
    const isHidden =
      isUnwanted || (shown > 0 && column.isFlexible !== true && width + own > mostWidth);
    if (!isHidden) [shown, width] = [shown + 1, width + own];
    const classes = chooseClasses(column, table, isHidden, shown);
    const narrow = isHidden || shown === 1 ? [] : narrower.filter(([most]) => width > most);
    columns.push({
      column,
      index,
      classes: [classes, ...narrow.map(([, name]) => name)].filter(Boolean).join(" "),
    });
  }
  const hiddenCount = columns.length - shown;
  return { columns, lifted: lifted.slice(0, 4), hiddenCount, isWide: width > narrower.at(-1)![0] };
}

const seenRows = 100;
const characterWidth = 7.6;
const paddingWidth = 26;
const timeWidth = 118;
const rangeWidth = 150;
const mostOfText = 330;
const mostOfName = 230;
/** The least width of a flexible column, as in tables.css. */
const flexibleWidth = 150;

// Columns that do not fit would make the table scroll sideways.
function estimateWidth(column: TableColumn, { rows, display }: Table, index: number): number {
  const domain = `@${display.domain ?? ""}`;
  const lengths = rows.slice(0, seenRows).map((row) => {
    const text = String(row[index] ?? "—");
    return text.length - (text.endsWith(domain) ? domain.length : 0);
  });
  const head = getTitle(column).length * characterWidth + paddingWidth;
  if (column.isFlexible === true) return Math.max(flexibleWidth, head);
  const isWritten = column.write !== undefined && column.name !== "event_name";
  // A row of a run has a range of times.
  if (column.kind === "time" && isWritten) return Math.max(rangeWidth, head);
  if (column.kind === "time" || isWritten) return Math.max(timeWidth, head);
  const most = Math.max(0, ...lengths) * characterWidth + paddingWidth;
  return Math.max(
    head,
    Math.min(
      column.kind === "number" ? 140 : column.name === "event_name" ? mostOfName : mostOfText,
      most,
    ),
  );
}

function compareOrder(a: { column: TableColumn; index: number }, b: typeof a): number {
  const rank = ({ column, index }: typeof a): number => {
    const place = eventOrder.indexOf(column.name);
    if (place >= 0) return place - eventOrder.length;
    return column.kind === "number" ? 10_000 + index : index;
  };
  return rank(a) - rank(b);
}

/** The one value of a column; null where it has none, undefined where it has several or its value is that of the one row. */
function findSingle(rows: readonly Row[], index: number): Cell | undefined {
  const first = rows[0]?.[index] ?? null;
  if (rows.length < 2 && (first !== null || rows.length === 0)) return undefined;
  return rows.every((row) => (row[index] ?? null) === first) ? first : undefined;
}

// A number that is zero in all rows is left out as none is, unless the table has no other.
function findShared({ columns, rows }: Table, { kind }: TableColumn, index: number) {
  const single = findSingle(rows, index);
  const isZero = kind === "number" && single !== null && Number(single) === 0;
  if (!isZero) return single;
  return columns.some((each, at) => each.kind === "number" && at !== index) ? null : undefined;
}

function describeSingle(
  column: TableColumn,
  cell: Exclude<Cell, null>,
  { display }: Table,
): string {
  const text = String(cell);
  if (isIP(text) !== 0) return `all from ${text}`;
  // A number alone would look like the sum.
  const each = column.kind === "number" && !isIdentifier(column) ? " each" : "";
  return `${getTitle(column)}: ${shortenMiddle(formatPlain(column, text, display))}${each}`;
}

function formatPlain({ name, kind }: TableColumn, text: string, display: Table["display"]): string {
  if (kind === "time") return formatTimeText(text, display);
  if (display.domain !== undefined && text.endsWith(`@${display.domain}`))
    return text.slice(0, -display.domain.length - 1);
  if (name === "denial_kind") return denialKinds[text] ?? text;
  if (kind !== "number" || isIdentifier({ name, type: "", kind })) return text;
  if (isBytes(name)) return formatBytes(Number(text));
  return /^\d+$/.test(text) ? countText(Number(text)) : text;
}

// An id is hidden where the same thing has a name.
function isHiddenName({ name }: TableColumn, columns: readonly TableColumn[]): boolean {
  if (rawNames.has(name)) return columns.length > 2;
  const stem = /^(.+)_id$/.exec(name)?.[1];
  if (stem === undefined) return false;
  const others = [stem, `${stem}_name`, `${stem}_email`, `${stem}_path`];
  if (stem === "user") others.push("actor", "actor_email");
  return columns.some((each) => others.includes(each.name));
}

function chooseClasses(
  column: TableColumn,
  { isEventList }: Table,
  isHidden: boolean,
  place: number,
): string {
  const isNumber = column.kind === "number" && !isIdentifier(column);
  const role = /^(?:event_name|what)$/.test(column.name) && isEventList === true ? "what" : "";
  const isMinor = !isHidden && (column.isMinor ?? place > mostOnPhone);
  const isSpare = !isHidden && column.isSpare === true;
  return [
    isNumber ? "n" : "",
    role,
    isHidden ? "hs" : "",
    column.isFlexible === true ? "fx" : "",
    isMinor ? "p3" : "",
    isSpare ? "p4" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}
