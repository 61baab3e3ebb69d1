import { warning } from "../../../base/notice/notice.ts";
import { type Print } from "../../../base/notice/printer.ts";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import type { Cell, Column, ColumnKind, Row, Rows } from "../../../base/rows/row.ts";

export type Recipient = {
  /** Number of the row in the result, from 1. */
  readonly row: number;
  /** Numbers of later rows with the same phone number and message; one message covers them all. */
  readonly alike: readonly number[];
  readonly phone: string;
  /** Value of the header variable, where the template has one. */
  readonly header: string | undefined;
  /** Values of the body variables, by position. */
  readonly body: readonly string[];
};

/** What identifies a message within a delivery: its recipient, and the content of its row. */
export type Message = Pick<Recipient, "phone" | "header" | "body">;

/** Rows that get no message of their own, by why. */
export type SkippedRows = {
  readonly invalid: readonly number[];
  /** Rows that repeat the number and the values of an earlier row. */
  readonly equal: readonly number[];
  readonly withoutValue: readonly number[];
};

export type Recipients = {
  readonly all: readonly Recipient[];
  readonly skipped: SkippedRows;
  readonly rowCount: number;
};

type Mutable = Recipient & { readonly alike: number[] };

/** The column that holds the numbers (seed 002, B, rule 1). */
const phoneColumn = "phone_number";

type Places = { readonly phone: number; readonly header: number; readonly body: readonly number[] };

/**
 * Reads all rows and chooses the recipients: every valid number, once per equal message. Throws before any message if a
 * column is missing (seed 002, Errors, rule 4) and, unless it `leavesOut` such rows, if no row has a number.
 */
export async function readRecipients(
  target: Messaging,
  rows: Rows,
  leavesOut = false,
): Promise<Recipients> {
  const places = findPlaces(target, rows.columns);
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
      const phone = toPhoneNumber(cells[places.phone] ?? null, kind, target.default_country);
      const found = phone === undefined ? undefined : toRecipient(row, phone, cells, places);
      const same = found === undefined ? undefined : seen.get(buildIdentity(found));
      if (phone === undefined) skipped.invalid.push(row);
      else if (found === undefined) skipped.withoutValue.push(row);
      else if (same !== undefined) {
        skipped.equal.push(row);
        same.alike.push(row);
      } else {
        seen.set(buildIdentity(found), found);
        all.push(found);
      }
    }
  if (!leavesOut && rowCount > 0 && skipped.invalid.length === rowCount)
    throw new AuditlakeError(
      `column ${phoneColumn}: none of the ${rowCount} rows has a phone number; expected numbers with + and their country code, such as +1 631-555-5555, or default_country in the target; nothing was sent`,
    );
  return { all, skipped, rowCount };
}

/**
 * Builds the text that two messages of a delivery share if they are the same. The text or template of the target is not
 * part of it: a recipient of a message gets no other because the wording changes.
 */
export function buildIdentity({ phone, header, body }: Message): string {
  return JSON.stringify([phone, header ?? null, ...body]);
}

/** The rows that one message is sent for. */
export function listRows({ row, alike }: Recipient): number[] {
  return [row, ...alike];
}

/** Checks that the result has the columns that the target names; throws UsageError. */
function findPlaces(target: Messaging, columns: readonly Column[]): Places {
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
function toRecipient(row: number, phone: string, cells: Row, places: Places): Mutable | undefined {
  const header = places.header < 0 ? undefined : toVariable(cells[places.header] ?? null);
  const body = places.body.map((at) => toVariable(cells[at] ?? null));
  if (header === "" || body.includes("")) return undefined;
  return { row, alike: [], phone, header, body };
}

// The service refuses a variable with a line break, a tab or more than four blanks in a row: each becomes one blank.
function toVariable(cell: Cell): string {
  if (cell === null) return "";
  const isUnfit = (blanks: string): boolean =>
    blanks.length > 4 || /[\t-\r\u0085\u2028\u2029]/.test(blanks);
  return String(cell)
    .trim()
    .replaceAll(/[\s\u0085]+/g, (blanks) => (isUnfit(blanks) ? " " : blanks));
}

const named = 10;

/** Recipients as a person may see them: the row and the last digits, never the whole number. */
export function formatRows(recipients: readonly Pick<Recipient, "row" | "phone">[]): string {
  const shown = recipients
    .slice(0, named)
    .map(({ row, phone }) => `row ${row} (…${phone.slice(-4)})`);
  return shown.join(", ") + formatMore(recipients.length);
}

/** Warns of rows without a message of their own, with the reasons. */
export function warnOfSkipped(skipped: SkippedRows, print: Print): void {
  const reasons: readonly [readonly number[], string][] = [
    [skipped.invalid, "no valid phone number with its country code"],
    [skipped.withoutValue, "no value for a variable of the template"],
  ];
  for (const [rows, why] of reasons)
    if (rows.length > 0)
      print(
        warning("recipients_skipped", { rows: formatCount(rows), why, which: formatList(rows) }),
      );
  const { equal } = skipped;
  if (equal.length > 0)
    print(
      `${formatCount(equal)} with the same number and message as an earlier one, sent once: ${formatList(equal)}`,
    );
}

function formatCount(rows: readonly number[]): string {
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
}

function formatList(rows: readonly number[]): string {
  return `${rows.slice(0, named).join(", ")}${formatMore(rows.length)}`;
}

function formatMore(count: number): string {
  return count > named ? ` and ${count - named} more` : "";
}

const separators = /[\s().\u00a0\u2010-\u2015-]/g;
const international = /^(?:\+|00)([1-9]\d{6,14})$/;
const bare = /^\d{4,15}$/;
const whole = /^[1-9]\d{6,14}$/;
const wholeNumber = /^(\d+)(\.0*)?$/;

/** The calling code of numbers without one, such as `47`; `included` where the digits begin with theirs. */
type DefaultCountry = string | undefined;

/**
 * Reads a phone number with its country code, in the form of E.164: `+16315555555`; undefined if the cell has none. A
 * number without `+` or `00` in front is one of the default country; without a default its country is unknown. In text,
 * blanks, dashes, dots and brackets do not count; a column of numbers has none.
 */
export function toPhoneNumber(
  cell: Cell,
  kind: ColumnKind = "text",
  country?: DefaultCountry,
): string | undefined {
  if (cell === null || typeof cell === "boolean") return undefined;
  const isNumber = kind === "number" || typeof cell !== "string";
  const text = isNumber ? wholeNumber.exec(String(cell))?.[1] : toPlain(cell);
  if (text === undefined) return undefined;
  const digits = international.exec(text)?.[1] ?? toNational(text, country);
  return digits === undefined ? undefined : `+${digits}`;
}

// A 0 in front of a national number, or the 1 of North America, is dialled at home alone; Italy keeps its 0.
function toNational(text: string, country: DefaultCountry): string | undefined {
  if (country === undefined || !bare.test(text)) return undefined;
  if (country === "included") return whole.test(text) ? text : undefined;
  const trunk = country === "1" ? /^1(?=\d{10}$)/ : country === "39" ? /^(?!)/ : /^0/;
  const digits = country + text.replace(trunk, "");
  return whole.test(digits) ? digits : undefined;
}

function toPlain(text: string): string | undefined {
  return text.trim().startsWith("-") ? undefined : text.replace(separators, "");
}

/** Returns the digits of a displayed number for comparison. */
export function readDigits(displayed: string): string {
  return displayed.replace(/\D/g, "");
}
