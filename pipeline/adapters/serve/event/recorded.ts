import type { Cell, Rows, Row } from "../../../base/rows/row.ts";

export type RecordedEvent = {
  readonly columns: Rows["columns"];
  readonly row: Row;
  /** The text of a column; null where it has nothing. */
  readonly getText: (name: string) => string | null;
};

export function readRecordedEvent(columns: Rows["columns"], row: Row): RecordedEvent {
  const places = new Map(columns.map(({ name }, i) => [name, i]));
  const getText = (name: string): string | null => {
    const cell: Cell = row[places.get(name) ?? -1] ?? null;
    return cell === null || cell === "" ? null : String(cell);
  };
  return { columns, row, getText };
}

/** What an event is about: its object, by id where it has one. */
export function findObject({
  getText,
}: RecordedEvent): { value: string; isName: boolean } | undefined {
  const id = getText("resource_id");
  if (id !== null) return { value: id, isName: false };
  const name = getText("resource_name");
  return name === null ? undefined : { value: name, isName: true };
}

/** The record as JSON, with every column that holds something, one on a line. */
export function writeRecordJson({ columns, row }: RecordedEvent): string {
  const entries = columns.flatMap(({ name, kind }, i): [string, Cell][] => {
    const cell = row[i] ?? null;
    if (cell === null || cell === "") return [];
    const isExact = typeof cell === "bigint" || (kind === "number" && typeof cell === "string");
    return [[name, isExact ? String(cell) : cutText(cell)]];
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

const mostCharacters = 20_000;

function cutText(cell: Cell): Cell {
  if (typeof cell !== "string" || cell.length <= mostCharacters) return cell;
  return `${cell.slice(0, mostCharacters)}… (${cell.length} characters; SQL has all)`;
}
