import { LIST, listValue, BIGINT, TIMESTAMP, DuckDBTimestampValue } from "@duckdb/node-api";
import type { Cell, Row, Rows } from "../../base/rows/row.ts";
import type { Statement } from "../../base/sql/bind.ts";
import { readSql } from "../../base/sql/statements.ts";
import type { Interval } from "../../base/time/periods.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Buckets } from "./buckets.ts";
import { bindFilters, bindText, type EventFilters, type FilterColumn } from "./filters.ts";

/** Events of one bucket and outcome, and those of them in the selected part of the range. */
export type BucketCount = {
  readonly startMs: number;
  readonly outcome: string;
  readonly events: number;
  readonly selected: number;
};

/** Counts the events of a search per bucket of a range and outcome. */
export function buildHistogram(
  filters: EventFilters,
  range: Interval,
  selected: Interval,
  { borders, slotMs }: Buckets,
): Statement {
  const times = borders.map((ms) => new DuckDBTimestampValue(BigInt(ms) * 1000n));
  return {
    sql: readSql("queries/pages/events/histogram.sql"),
    values: {
      ...bindFilters(filters, range),
      selected_since: bindText(toTimestamp(selected.startMs)),
      selected_until: bindText(toTimestamp(selected.endMs)),
      slot_ms: { type: BIGINT, value: BigInt(slotMs) },
      borders: { type: LIST(TIMESTAMP), value: listValue(times) },
    },
  };
}

export function readHistogram(columns: Rows["columns"], rows: readonly Row[]): BucketCount[] {
  return rows.map((row) => {
    const cell = (name: string): Cell => row[columns.findIndex((column) => column.name === name)]!;
    return {
      startMs: Number(cell("start_ms")),
      outcome: String(cell("outcome")),
      events: Number(cell("events")),
      selected: Number(cell("selected")),
    };
  });
}

/** A column with its most frequent values, and the filtered values. */
export type Facet = {
  readonly distinct: number;
  readonly values: readonly { readonly value: string; readonly events: number }[];
};

/** Counts the values of each column of a search, with all filters but the column's own. */
export function buildFacets(filters: EventFilters, range: Interval): Statement {
  return { sql: readSql("queries/pages/events/facets.sql"), values: bindFilters(filters, range) };
}

/** Reads the result of `buildFacets`; a column without events is missing. */
export function readFacets(rows: readonly Row[]): ReadonlyMap<FilterColumn, Facet> {
  const facets = new Map<
    FilterColumn,
    { distinct: number; values: { value: string; events: number }[] }
  >();
  for (const [column, value, events, distinct] of rows) {
    const name = column as FilterColumn;
    const facet = facets.get(name) ?? { distinct: Number(distinct), values: [] };
    facet.values.push({ value: String(value), events: Number(events) });
    facets.set(name, facet);
  }
  return facets;
}
