import type { Cell } from "../../../base/rows/row.ts";
import type { Field } from "./field.ts";
import { parseSpaced } from "../../../base/time/text.ts";

/** A value as JSON can carry it. */
export type Value = null | boolean | number | string;

/** Why a value does not fit its field; never shows the value. */
export type Misfit = { readonly misfit: string };

/**
 * The value of a field, or why it cannot be one (seed 002, A, Data operations, rule 3). It may be null, of the wrong
 * type, or not a key.
 */
export function valueOf(cell: Cell, field: Field): Value | Misfit {
  const empty = cell === null || (cell === "" && field.type !== "TEXT");
  if (empty || (field.isKey && cell === "")) {
    if (field.isKey) return { misfit: "is null, but part of the primary key" };
    return field.isNullable || field.hasDefault ? null : { misfit: "is null, but required" };
  }
  const read = readers[field.type] ?? text;
  return read(cell, field);
}

type Reader = (cell: Exclude<Cell, null>, field: Field) => Value | Misfit;

// A type that is not in the list of the seed is taken for text; the marketing cloud has the last word.
const readers: Readonly<Record<string, Reader>> = {
  TEXT: text,
  NUMBER: whole,
  DECIMAL: decimal,
  BOOLEAN: flag,
  DATE: date,
  EMAILADDRESS: matching(/^[^\s@]+@[^\s@]+$/, "is no e-mail address"),
  PHONE: matching(/^[+()\d\s./-]+$/, "is no phone number"),
  LOCALE: matching(/^[A-Za-z]{2,3}([-_][A-Za-z]{2})?$/, "is no locale"),
  BASE16ENCRYPTED: text,
  BASE16ENCRYPTEDEMAIL: text,
};

function text(cell: Exclude<Cell, null>, { length }: Field): Value | Misfit {
  const written = String(cell);
  return length !== undefined && length > 0 && written.length > length
    ? { misfit: `is longer than ${length} characters` }
    : written;
}

function matching(pattern: RegExp, misfit: string): Reader {
  return (cell, field) => (pattern.test(String(cell)) ? text(cell, field) : { misfit });
}

function whole(cell: Exclude<Cell, null>): Value | Misfit {
  const written = String(cell);
  if (typeof cell === "boolean" || !/^[+-]?\d{1,19}$/.test(written))
    return { misfit: "is no whole number" };
  // Digits that a JSON number would lose go as text.
  return Number.isSafeInteger(Number(written)) ? Number(written) : written;
}

function decimal(cell: Exclude<Cell, null>, { length = 38, scale = 0 }: Field): Value | Misfit {
  const written = typeof cell === "number" ? plainDigits(cell) : String(cell);
  const [, before] = /^[+-]?0*((?:[1-9]\d*)?)(?:\.\d*)?$/.exec(written) ?? [];
  if (typeof cell === "boolean" || before === undefined || !/\d/.test(written))
    return { misfit: "is no decimal number" };
  return before.length > length - scale
    ? { misfit: `has more than ${length - scale} digits before the point` }
    : written;
}

// Without an exponent, which a decimal does not have.
function plainDigits(value: number): string {
  const written = String(value);
  return written.includes("e") && Number.isFinite(value)
    ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 })
    : written;
}

function flag(cell: Exclude<Cell, null>): Value | Misfit {
  if (typeof cell === "boolean") return cell;
  const known = /^(true|1)$/i.test(String(cell))
    ? true
    : /^(false|0)$/i.test(String(cell))
      ? false
      : undefined;
  return known ?? { misfit: "is neither true nor false" };
}

function date(cell: Exclude<Cell, null>): Value | Misfit {
  const written = String(cell);
  const isDate = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(
    written,
  );
  return isDate && !Number.isNaN(parseSpaced(written)) ? written : { misfit: "is no date" };
}
