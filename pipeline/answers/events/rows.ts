import type { Statement } from "../../base/sql/bind.ts";
import { readSql } from "../../base/sql/statements.ts";
import type { Interval } from "../../base/time/periods.ts";
import { bindCount, bindFilters, bindText, type EventFilters } from "./filters.ts";

/** A place between two events, given by the one before it: its time to the microsecond, and its key. */
export type EventPlace = { readonly time: string; readonly key: string };

/** The newest events of a range that fit, at most so many, from below a place where one is given. */
export function buildRows(
  filters: EventFilters,
  range: Interval,
  most: number,
  place?: EventPlace,
): Statement {
  return {
    sql: readSql("queries/pages/events/rows.sql"),
    values: {
      ...bindFilters(filters, range),
      below_time: bindText(place?.time),
      below_key: bindText(place?.key),
      most: bindCount(most),
    },
  };
}
