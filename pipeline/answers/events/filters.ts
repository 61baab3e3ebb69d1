import { BIGINT, LIST, listValue, VARCHAR } from "@duckdb/node-api";
import { denialKind } from "../../../schemas/source.ts";
import { UsageError } from "../../base/errors.ts";
import { quoteStart } from "../../base/printable.ts";
import type { Statement } from "../../base/sql/bind.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/periods.ts";

/** Columns by whose values a search includes or excludes events. */
export const filterColumns = [
  "outcome",
  "kind",
  "event",
  "person",
  "address",
  "area",
  "database",
] as const;

export type FilterColumn = (typeof filterColumns)[number];

/** Values of one column that events must have, and values that they must not have; an empty list filters nothing. */
export type ValueFilter = {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
};

export type EventFilters = {
  readonly columns: Readonly<Record<FilterColumn, ValueFilter>>;
  /** A text in names, paths, values and query texts. */
  readonly text?: string | undefined;
  /** An id, a name, or a table with the jobs that touched it. */
  readonly object?: string | undefined;
};

/** What filters compare with where nothing is recorded. */
export const notRecorded = "none";

export const outcomes = ["succeeded", "denied", "failed", "unknown"] as const;

/** Values of columns that have few. */
export const choices: Partial<Record<FilterColumn, readonly string[]>> = {
  outcome: outcomes,
  kind: [...denialKind.options, notRecorded],
};

const lowerCase: ReadonlySet<FilterColumn> = new Set(["outcome", "kind", "person", "database"]);

/**
 * The values that a written one may mean: itself, without blanks around, which copied ones bring along, and in lower
 * case where the column has no other.
 */
export function listVariants(column: FilterColumn, value: string): readonly string[] {
  const trimmed = value.trim();
  const lower = lowerCase.has(column) ? [value.toLowerCase(), trimmed.toLowerCase()] : [];
  return [...new Set([value, trimmed, ...lower])].filter((each) => each !== "");
}

/** Throws UsageError for a word outside a closed list: it would match nothing, and look like an answer. */
export function checkValue(column: FilterColumn, value: string): void {
  const known = choices[column];
  if (known === undefined) return;
  if (listVariants(column, value).some((each) => known.includes(each))) return;
  throw new UsageError(`${column} ${quoteStart(value)}: expected ${known.join(", ")}`);
}

/** Values of a statement that joins the part `judged_events`. */
export function bindFilters(
  { columns, text, object }: EventFilters,
  { startMs, endMs }: Interval,
): Statement["values"] {
  const lists = filterColumns.flatMap((name) => {
    const { included, excluded } = columns[name];
    return [
      [name, bindList(included)],
      [`not_${name}`, bindList(excluded)],
    ] as const;
  });
  return {
    ...Object.fromEntries(lists),
    text: bindText(text),
    object: bindText(object),
    since: bindText(toTimestamp(startMs)),
    until: bindText(toTimestamp(endMs)),
  };
}

type Bound = Statement["values"][string];

function bindList(values: readonly string[]): Bound {
  return { type: LIST(VARCHAR), value: values.length === 0 ? null : listValue(values) };
}

export function bindText(value: string | undefined): Bound {
  return { type: VARCHAR, value: value ?? null };
}

export function bindCount(value: number): Bound {
  return { type: BIGINT, value: BigInt(value) };
}
