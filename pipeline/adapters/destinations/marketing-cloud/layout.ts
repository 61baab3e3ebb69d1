import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/printable.ts";
import { parseColumnOptions } from "../../../../schemas/connectors/column-options.ts";
import type { WithName } from "../../../outgoing/targets/destination.ts";
import type { Cell, Column, Row } from "../../../base/rows/row.ts";
import type { Extension } from "./extension.ts";
import { checkFieldCount, type Field, describeFieldCount } from "./field.ts";
import { parseSpaced } from "../../../base/time/text.ts";

// Which column goes into which field; and what can be wrong with a result before any row of it is sent.

/**
 * Checks the configured columns against the columns of the result before any request to the account; throws UsageError.
 */
export function checkColumns(target: WithName<MarketingCloud>, columns: readonly Column[]): void {
  const names = columns.map(({ name }) => name.toLowerCase());
  const twice = columns.find(({ name }, at) => names.indexOf(name.toLowerCase()) !== at);
  if (twice !== undefined)
    throw new UsageError(
      `target ${target.name}: the result has column ${escapeControls(twice.name)} twice; rename one`,
    );
  if (target.create_new_de) checkFieldCount(target, columns.length);
  const named: (readonly [string, string | undefined])[] = target.create_new_de
    ? [
        ["primary_column", target.primary_column?.trim()],
        ...parseColumnOptions(target.column_options).map(
          ({ column }) => ["column_options", column] as const,
        ),
        ["sendable_column", target.is_sendable ? target.sendable_column?.trim() : undefined],
      ]
    : [];
  for (const [key, name] of named)
    if (name !== undefined && !columns.some((column) => column.name === name))
      throw new UsageError(
        `target ${target.name}: ${key} names ${escapeControls(name)}, which is missing from the result; it has ${list(columns)}`,
      );
}

/** Which column goes into which field, primary key and rest. */
export type Layout = {
  readonly keys: readonly PlacedField[];
  readonly others: readonly PlacedField[];
};

type PlacedField = { readonly at: number; readonly field: Field };

/**
 * Which column goes into which field. Throws UsageError on a schema error, so that a replace leaves the rows untouched
 * (seed 002, A, Data operations, rule 4). So it does where the data extension has no primary key (Errors, rule 2).
 */
export function planLayout(
  target: WithName<MarketingCloud>,
  { fields }: Extension,
  columns: readonly Column[],
): Layout {
  const place = describePlace(target);
  const fault = checkLayout(target, { fields });
  if (fault !== undefined) throw fault;
  const placed = columns.map((column, at): PlacedField => {
    const field = fields.find(({ name }) => name.toLowerCase() === column.name.toLowerCase());
    if (field === undefined)
      throw new UsageError(
        `${place} has no field for column ${escapeControls(column.name)}; it has ${list(fields)}; leave the column out or add the field`,
      );
    return { at, field };
  });
  const missing = fields.find(
    (field) =>
      !placed.some((each) => each.field === field) && !field.isNullable && !field.hasDefault,
  );
  if (missing !== undefined)
    throw new UsageError(
      `${place} needs ${escapeControls(missing.name)} (${missing.isKey ? "primary key" : "required"}), which is missing from the result; it has ${list(columns)}; no row was touched`,
    );
  return {
    keys: placed.filter(({ field }) => field.isKey),
    others: placed.filter(({ field }) => !field.isKey),
  };
}

function describePlace({ name, de_name }: WithName<MarketingCloud>): string {
  return `target ${name}: data extension ${JSON.stringify(de_name)}`;
}

/** Why no result at all can go into a data extension; undefined where one can. */
export function checkLayout(
  target: WithName<MarketingCloud>,
  { fields }: Pick<Extension, "fields">,
): UsageError | undefined {
  if (!fields.some(({ isKey }) => isKey))
    return new UsageError(
      `${describePlace(target)} has no primary key, which is not supported; give it one`,
    );
  return describeFieldCount(target, fields.length);
}

/** A row that does not fit; names the column and the reason, never the value. */
export class RowError extends Error {
  override name = "RowError";
}

/** The values of some fields of a row; throws RowError where one does not fit. */
export function toValues(row: Row, placed: readonly PlacedField[]): Record<string, Value> {
  return Object.fromEntries(
    placed.map(({ at, field }) => [field.name, fitValue(row[at] ?? null, field)]),
  );
}

function fitValue(cell: Cell, field: Field): Value {
  const value = toValue(cell, field);
  if (value !== null && typeof value === "object")
    throw new RowError(`${escapeControls(field.name)} ${value.misfit}`);
  return value;
}

function list(named: readonly { readonly name: string }[]): string {
  const names = named.slice(0, 20).map(({ name }) => escapeControls(name));
  return names.join(", ") + (named.length > names.length ? ", …" : "");
}

/** A value as JSON can carry it. */
type Value = null | boolean | number | string;

/** Why a value does not fit its field; never shows the value. */
type Misfit = { readonly misfit: string };

/**
 * The value of a field, or why it cannot be one (seed 002, A, Data operations, rule 3). It may be null, of the wrong
 * type, or not a key.
 */
export function toValue(cell: Cell, field: Field): Value | Misfit {
  const isEmpty = cell === null || (cell === "" && field.type !== "TEXT");
  if (isEmpty || (field.isKey && cell === "")) {
    if (field.isKey) return { misfit: "is null, but part of the primary key" };
    return field.isNullable || field.hasDefault ? null : { misfit: "is null, but required" };
  }
  const read = readers[field.type] ?? readText;
  return read(cell, field);
}

type Reader = (cell: Exclude<Cell, null>, field: Field) => Value | Misfit;

// A type that is not in the list of the seed is taken for text; the marketing cloud has the last word.
const readers: Readonly<Record<string, Reader>> = {
  TEXT: readText,
  NUMBER: readInteger,
  DECIMAL: readDecimal,
  BOOLEAN: readFlag,
  DATE: readDate,
  EMAILADDRESS: newPatternReader(/^[^\s@]+@[^\s@]+$/, "is not an e-mail address"),
  PHONE: newPatternReader(/^[+()\d\s./-]+$/, "is not a phone number"),
  LOCALE: newPatternReader(/^[A-Za-z]{2,3}([-_][A-Za-z]{2})?$/, "is not a locale"),
  BASE16ENCRYPTED: readText,
  BASE16ENCRYPTEDEMAIL: readText,
};

function readText(cell: Exclude<Cell, null>, { length }: Field): Value | Misfit {
  const written = String(cell);
  return length !== undefined && length > 0 && written.length > length
    ? { misfit: `is longer than ${length} characters` }
    : written;
}

function newPatternReader(pattern: RegExp, misfit: string): Reader {
  return (cell, field) => (pattern.test(String(cell)) ? readText(cell, field) : { misfit });
}

function readInteger(cell: Exclude<Cell, null>): Value | Misfit {
  const written = String(cell);
  if (typeof cell === "boolean" || !/^[+-]?\d{1,19}$/.test(written))
    return { misfit: "is not an integer" };
  // Digits that a JSON number would lose go as text.
  return Number.isSafeInteger(Number(written)) ? Number(written) : written;
}

function readDecimal(cell: Exclude<Cell, null>, { length = 38, scale = 0 }: Field): Value | Misfit {
  const written = typeof cell === "number" ? writePlainDigits(cell) : String(cell);
  const [, before] = /^[+-]?0*((?:[1-9]\d*)?)(?:\.\d*)?$/.exec(written) ?? [];
  if (typeof cell === "boolean" || before === undefined || !/\d/.test(written))
    return { misfit: "is not a decimal number" };
  return before.length > length - scale
    ? { misfit: `has more than ${length - scale} digits before the point` }
    : written;
}

// Without an exponent, which a decimal does not have.
function writePlainDigits(value: number): string {
  const written = String(value);
  return written.includes("e") && Number.isFinite(value)
    ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 })
    : written;
}

function readFlag(cell: Exclude<Cell, null>): Value | Misfit {
  if (typeof cell === "boolean") return cell;
  const known = /^(true|1)$/i.test(String(cell))
    ? true
    : /^(false|0)$/i.test(String(cell))
      ? false
      : undefined;
  return known ?? { misfit: "is neither true nor false" };
}

function readDate(cell: Exclude<Cell, null>): Value | Misfit {
  const written = String(cell);
  const isDate = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(
    written,
  );
  return isDate && !Number.isNaN(parseSpaced(written)) ? written : { misfit: "is not a date" };
}
