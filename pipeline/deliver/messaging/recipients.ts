import type { Messaging } from "../../../schemas/connectors/messaging.ts";
import { AuditlakeError, UsageError } from "../../errors.ts";
import type { Cell, Column, Row, Rows } from "../../rows/row.ts";
import { phoneNumberOf } from "./phone.ts";

/** One message to send. */
export type Recipient = {
  /** Number of the row in the result, from 1. */
  readonly row: number;
  readonly phone: string;
  /** Value of the header variable, where the template has one. */
  readonly header: string | undefined;
  /** Values of the body variables, by position. */
  readonly body: readonly string[];
};

/** Rows that get no message, by what is wrong with them. */
export type Skipped = {
  readonly invalid: readonly number[];
  readonly repeated: readonly number[];
  readonly withoutValue: readonly number[];
};

export type Recipients = {
  readonly all: readonly Recipient[];
  readonly skipped: Skipped;
  readonly rowCount: number;
};

/** The column that holds the numbers (seed 002, B, rule 1). */
const phoneColumn = "phone_number";

type Places = { readonly phone: number; readonly header: number; readonly body: readonly number[] };

/**
 * Reads all rows and finds out who gets a message: every valid number, once. Throws before any message where a column
 * is missing (seed 002, Errors, rule 4), or where no row holds a number.
 */
export async function readRecipients(target: Messaging, rows: Rows): Promise<Recipients> {
  const places = placesOf(target, rows.columns);
  const kind = rows.columns[places.phone]!.kind;
  const all: Recipient[] = [];
  const skipped = {
    invalid: [] as number[],
    repeated: [] as number[],
    withoutValue: [] as number[],
  };
  const seen = new Set<string>();
  let rowCount = 0;
  for await (const batch of rows.batches)
    for (const cells of batch) {
      const row = (rowCount += 1);
      const phone = phoneNumberOf(cells[places.phone] ?? null, kind);
      const found = phone === undefined ? undefined : recipientOf(row, phone, cells, places);
      if (phone === undefined) skipped.invalid.push(row);
      else if (found === undefined) skipped.withoutValue.push(row);
      else if (seen.has(phone)) skipped.repeated.push(row);
      else all.push(found);
      if (phone !== undefined && found !== undefined) seen.add(phone);
    }
  if (rowCount > 0 && skipped.invalid.length === rowCount)
    throw new AuditlakeError(
      `column ${phoneColumn}: none of the ${rowCount} rows holds a phone number; expected numbers with their country code, such as +1 631-555-5555; nothing was sent`,
    );
  return { all, skipped, rowCount };
}

/** Checks that the result has the columns that the target names; throws UsageError. */
function placesOf(target: Messaging, columns: readonly Column[]): Places {
  const names = columns.map(({ name }) => name);
  const find = (name: string, key: string): number => {
    const at = names.indexOf(name);
    if (at >= 0) return at;
    throw new UsageError(
      `${key}: the result has no column ${name}; it has ${names.join(", ")}; nothing was sent`,
    );
  };
  const phone = find(phoneColumn, "phone number column");
  if (target.send_mode !== "template") return { phone, header: -1, body: [] };
  const header =
    target.header_variable === "" ? -1 : find(target.header_variable, "header_variable");
  return { phone, header, body: target.body_variables.map((name) => find(name, "body_variables")) };
}

// Undefined where a variable has no value in this row: a template cannot be sent with a gap.
function recipientOf(
  row: number,
  phone: string,
  cells: Row,
  places: Places,
): Recipient | undefined {
  const header = places.header < 0 ? undefined : valueOf(cells[places.header] ?? null);
  const body = places.body.map((at) => valueOf(cells[at] ?? null));
  if (header === "" || body.includes("")) return undefined;
  return { row, phone, header, body };
}

function valueOf(cell: Cell): string {
  return cell === null ? "" : String(cell).trim();
}
