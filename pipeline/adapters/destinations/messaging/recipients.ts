import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import type { Cell, Column, Row, Rows } from "../../../base/rows/row.ts";
import { phoneNumberOf } from "./phone.ts";

/** One message to send. */
export type Recipient = {
  /** Number of the row in the result, from 1. */
  readonly row: number;
  /** Numbers of later rows with this number and message: what is sent to it is sent for them, too. */
  readonly alike: readonly number[];
  readonly phone: string;
  /** Value of the header variable, where the template has one. */
  readonly header: string | undefined;
  /** Values of the body variables, by position. */
  readonly body: readonly string[];
};

/** What tells one message of a delivery from another: whom it goes to, and what of its row it says. */
export type Message = Pick<Recipient, "phone" | "header" | "body">;

/** Rows that get no message of their own, by why. */
export type Skipped = {
  readonly invalid: readonly number[];
  /** Rows with the number and the values of an earlier one: what they say is said. */
  readonly equal: readonly number[];
  readonly withoutValue: readonly number[];
};

export type Recipients = {
  readonly all: readonly Recipient[];
  readonly skipped: Skipped;
  readonly rowCount: number;
};

type Mutable = Recipient & { readonly alike: number[] };

/** The column that holds the numbers (seed 002, B, rule 1). */
const phoneColumn = "phone_number";

type Places = { readonly phone: number; readonly header: number; readonly body: readonly number[] };

/**
 * Reads all rows and finds out who gets a message: every valid number, and once where rows would say the same to it.
 * Throws before any message where a column is missing (seed 002, Errors, rule 4). Unless it `leavesOut` such rows, it
 * also throws where no row holds a number.
 */
export async function readRecipients(
  target: Messaging,
  rows: Rows,
  leavesOut = false,
): Promise<Recipients> {
  const places = placesOf(target, rows.columns);
  const kind = rows.columns[places.phone]!.kind;
  const all: Mutable[] = [];
  const skipped = {
    invalid: [] as number[],
    equal: [] as number[],
    withoutValue: [] as number[],
  };
  const seen = new Map<string, Mutable>();
  let rowCount = 0;
  for await (const batch of rows.batches)
    for (const cells of batch) {
      const row = (rowCount += 1);
      const phone = phoneNumberOf(cells[places.phone] ?? null, kind, target.default_country);
      const found = phone === undefined ? undefined : recipientOf(row, phone, cells, places);
      const same = found === undefined ? undefined : seen.get(identityOf(found));
      if (phone === undefined) skipped.invalid.push(row);
      else if (found === undefined) skipped.withoutValue.push(row);
      else if (same !== undefined) {
        skipped.equal.push(row);
        same.alike.push(row);
      } else {
        seen.set(identityOf(found), found);
        all.push(found);
      }
    }
  if (!leavesOut && rowCount > 0 && skipped.invalid.length === rowCount)
    throw new AuditlakeError(
      `column ${phoneColumn}: none of the ${rowCount} rows holds a phone number; expected numbers with + and their country code, such as +1 631-555-5555, or default_country in the target; nothing was sent`,
    );
  return { all, skipped, rowCount };
}

/**
 * A text that two messages of a delivery share if they are the same. The text or template of the target is not in it:
 * who has a message gets no other because somebody mends the wording.
 */
export function identityOf({ phone, header, body }: Message): string {
  return JSON.stringify([phone, header ?? null, ...body]);
}

/** The rows that one message is sent for. */
export function rowsFor({ row, alike }: Recipient): number[] {
  return [row, ...alike];
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
function recipientOf(row: number, phone: string, cells: Row, places: Places): Mutable | undefined {
  const header = places.header < 0 ? undefined : variableOf(cells[places.header] ?? null);
  const body = places.body.map((at) => variableOf(cells[at] ?? null));
  if (header === "" || body.includes("")) return undefined;
  return { row, alike: [], phone, header, body };
}

// The service refuses a variable with a line break, a tab or more than four blanks in a row: each becomes one blank.
function variableOf(cell: Cell): string {
  if (cell === null) return "";
  const unfit = (blanks: string): boolean =>
    blanks.length > 4 || /[\t-\r\u0085\u2028\u2029]/.test(blanks);
  return String(cell)
    .trim()
    .replaceAll(/[\s\u0085]+/g, (blanks) => (unfit(blanks) ? " " : blanks));
}
