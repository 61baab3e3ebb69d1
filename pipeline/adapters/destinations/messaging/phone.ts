import type { Cell, ColumnKind } from "../../../base/rows/row.ts";

const separators = /[\s().\u00a0\u2010-\u2015-]/g;
const international = /^(?:\+|00)([1-9]\d{6,14})$/;
const bare = /^\d{4,15}$/;
const whole = /^[1-9]\d{6,14}$/;
const wholeNumber = /^(\d+)(\.0*)?$/;

/** The calling code of numbers without one, such as `47`; `included` where the digits begin with theirs. */
export type DefaultCountry = string | undefined;

/**
 * A phone number with its country code, as E.164 has it: `+16315555555`; undefined where the cell holds none. A number
 * without `+` or `00` in front is one of the default country; without a default nobody knows whose it is. In text,
 * blanks, dashes, dots and brackets do not count; in a column of numbers there are none.
 */
export function phoneNumberOf(
  cell: Cell,
  kind: ColumnKind = "text",
  country?: DefaultCountry,
): string | undefined {
  if (cell === null || typeof cell === "boolean") return undefined;
  const isNumber = kind === "number" || typeof cell !== "string";
  const text = isNumber ? wholeNumber.exec(String(cell))?.[1] : plain(cell);
  if (text === undefined) return undefined;
  const digits = international.exec(text)?.[1] ?? national(text, country);
  return digits === undefined ? undefined : `+${digits}`;
}

// A 0 in front of a national number, or the 1 of North America, is dialled at home alone; Italy keeps its 0.
function national(text: string, country: DefaultCountry): string | undefined {
  if (country === undefined || !bare.test(text)) return undefined;
  if (country === "included") return whole.test(text) ? text : undefined;
  const trunk = country === "1" ? /^1(?=\d{10}$)/ : country === "39" ? /^(?!)/ : /^0/;
  const digits = country + text.replace(trunk, "");
  return whole.test(digits) ? digits : undefined;
}

function plain(text: string): string | undefined {
  return text.trim().startsWith("-") ? undefined : text.replace(separators, "");
}

/** The digits of a displayed number, by which two are compared (blanks and dashes taken out). */
export function digitsOf(displayed: string): string {
  return displayed.replace(/\D/g, "");
}
