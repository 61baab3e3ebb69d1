import type { Cell, ColumnKind } from "../../rows/row.ts";

const separators = /[\s().\u00a0\u2010-\u2015-]/g;
const international = /^(?:\+|00)?([1-9]\d{6,14})$/;
const wholeNumber = /^(\d+)(\.0*)?$/;

/**
 * A phone number with its country code, as E.164 has it: `+16315555555`; undefined where the cell holds none. In text,
 * blanks, dashes, dots and brackets do not count; in a column of numbers there are none.
 */
export function phoneNumberOf(cell: Cell, kind: ColumnKind = "text"): string | undefined {
  if (cell === null || typeof cell === "boolean") return undefined;
  const isNumber = kind === "number" || typeof cell !== "string";
  const text = isNumber ? wholeNumber.exec(String(cell))?.[1] : plain(cell);
  const digits = international.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : `+${digits}`;
}

function plain(text: string): string | undefined {
  return text.trim().startsWith("-") ? undefined : text.replace(separators, "");
}

/** The digits of a displayed number, by which two are compared (blanks and dashes taken out). */
export function digitsOf(displayed: string): string {
  return displayed.replace(/\D/g, "");
}
