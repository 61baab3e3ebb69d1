// The grammar of column_options (seed 002, A): `<col>:<TYPE>[(<args>)];<col>:<TYPE>...`.

/** The data types of a data extension's columns (seed 002, A, column_options). */
export const columnTypes = [
  "TEXT",
  "NUMBER",
  "DATE",
  "BOOLEAN",
  "EMAILADDRESS",
  "PHONE",
  "DECIMAL",
  "LOCALE",
  "BASE16ENCRYPTED",
  "BASE16ENCRYPTEDEMAIL",
] as const;

export type ColumnType = (typeof columnTypes)[number];

/** The type that one column gets when the data extension is created. */
export type ColumnOption = {
  readonly column: string;
  readonly type: ColumnType;
  /** TEXT: how many characters; DECIMAL: how many digits in all. */
  readonly length?: number;
  /** DECIMAL: how many of the digits follow the point. */
  readonly scale?: number;
};

/** A text that does not follow the grammar; the message names the part and the rule. */
export class ColumnOptionsError extends Error {
  override name = "ColumnOptionsError";
}

const longestText = 4000;
const mostDigits = 38;
const form = /^(.*):\s*([A-Za-z0-9]+)\s*(?:\(([^()]*)\))?$/s;

/** Parses the columns of a text with their types; throws ColumnOptionsError on invalid grammar. */
export function parseColumnOptions(text: string): ColumnOption[] {
  if (text.trim() === "") return [];
  const options = text.split(";").map((part) => parsePart(part.trim()));
  const twice = options.find(
    ({ column }, at) => options.findIndex((other) => other.column === column) !== at,
  );
  if (twice) throw new ColumnOptionsError(`column ${twice.column} occurs twice; expected it once`);
  return options;
}

function parsePart(part: string): ColumnOption {
  const [, column = "", name = "", argumentText] = form.exec(part) ?? [];
  if (column.trim() === "")
    throw new ColumnOptionsError(
      `${JSON.stringify(part)} is not a column with its type; expected <col>:<TYPE>[(<args>)], separated by ;`,
    );
  const type = columnTypes.find((known) => known === name);
  if (type === undefined)
    throw new ColumnOptionsError(
      `column ${column.trim()} has type ${name}; expected ${columnTypes.join(", ")}`,
    );
  const given = argumentText === undefined ? [] : argumentText.split(",").map(parseInteger);
  return { column: column.trim(), type, ...parseArguments(type, given, part) };
}

function parseInteger(text: string): number {
  return /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN;
}

function parseArguments(
  type: ColumnType,
  given: readonly number[],
  part: string,
): { length?: number; scale?: number } {
  if (given.length === 0) return {};
  const [length = Number.NaN, scale = Number.NaN] = given;
  if (type === "TEXT" && given.length === 1 && length >= 1 && length <= longestText)
    return { length };
  const isInRange = length >= 1 && length <= mostDigits && scale >= 0 && scale <= length;
  if (type === "DECIMAL" && given.length === 2 && isInRange) return { length, scale };
  throw new ColumnOptionsError(`${JSON.stringify(part)}: expected ${describeExpected(type)}`);
}

function describeExpected(type: ColumnType): string {
  if (type === "TEXT") return `TEXT(length), a length of 1 to ${longestText}`;
  if (type === "DECIMAL")
    return `DECIMAL(precision,scale), a precision of 1 to ${mostDigits} and a scale of at most that`;
  return `${type} without arguments; only TEXT and DECIMAL accept them`;
}
