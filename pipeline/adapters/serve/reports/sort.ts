import type { Sorting } from "../../../base/html/columns.ts";
import type { Question } from "../../../base/sql/question.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";

/** The order of a page's rows: a column, the greatest first where a minus precedes it. */
export type Order = { readonly column: string; readonly isDescending: boolean };

/** Reads the order from the address; undefined for the report's own. */
export function readOrder({ params }: Pick<Visit, "params">): Order | undefined {
  const text = params.get("sort") ?? "";
  const isDescending = text.startsWith("-");
  const column = isDescending ? text.slice(1) : text;
  return column === "" ? undefined : { column, isDescending };
}

// A report lists events, or a row per day, in the order of time.
const ascendingTime = /\border by (event_time|day)(?:\s+asc)?(?=\s*(?:,|;?\s*$))[^()]*$/i;

/** The order in which a page shows a report: that of its address, or the newest first where the report ends with them. */
export function chooseOrder(visit: Pick<Visit, "params">, sql: string): Order | undefined {
  const [, column] = ascendingTime.exec(sql) ?? [];
  return readOrder(visit) ?? (column === undefined ? undefined : { column, isDescending: true });
}

/** Sorts all rows of a question; rows that are equal in the column stay in the report's own order. */
export function sortQuestion(question: Question, order: Order | undefined): Question {
  if (order === undefined) return question;
  const column = `"${order.column.replaceAll('"', '""')}"`;
  const sql = `with report as (
${question.sql.trim().replace(/;$/, "")}
),
numbered as (select *, row_number() over () as "row number" from report)
select * exclude ("row number") from numbered
order by ${column} ${order.isDescending ? "desc" : "asc"} nulls last, "row number"`;
  return { ...question, sql };
}

/** The headings of a table that shows the first of many rows: each leads to the rows in its order. */
export function buildSorting(visit: Visit, order: Order | undefined): Sorting {
  return {
    column: order?.column,
    isDescending: order?.isDescending ?? false,
    getHref: ({ name, kind }) => {
      const isSorted = order?.column === name;
      // Numbers and times begin with the greatest, texts with A.
      const isDescending = isSorted ? !order.isDescending : kind === "number" || kind === "time";
      return buildPageUrl(visit, { sort: `${isDescending ? "-" : ""}${name}` });
    },
  };
}
