import { quoteText } from "../../../schemas/quote.ts";
import type { Interval } from "../../base/time/periods.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { type EventFilters, type FilterColumn, filterColumns } from "./filters.ts";

const expressions: Readonly<Record<FilterColumn, readonly string[]>> = {
  outcome: ["outcome"],
  kind: ["coalesce(denial_kind, 'none')"],
  event: ["coalesce(nullif(event_name, ''), 'none')", "coalesce(canonical_name, '')"],
  person: ["actor", "coalesce(cast(user_id as varchar), '')"],
  address: ["coalesce(nullif(ip_address, ''), 'none')"],
  area: ["coalesce(area, 'none')"],
  database: ["coalesce(database_name, 'none')"],
};

/** A statement for people that finds the events of a search, to be edited. */
export function writeSearchSql(filters: EventFilters, { startMs, endMs }: Interval): string {
  const conditions = [
    `event_time >= timestamp ${quoteText(toTimestamp(startMs))}`,
    `event_time < timestamp ${quoteText(toTimestamp(endMs))}`,
    ...filterColumns.flatMap((column) => {
      const { included, excluded } = filters.columns[column];
      return [...writeList(column, included, ""), ...writeList(column, excluded, "not ")];
    }),
    ...(filters.object === undefined
      ? []
      : [`${quoteText(filters.object)} in (resource_id, resource_name, target_table)`]),
    ...(filters.text === undefined ? [] : [writeTextCondition(filters.text)]),
  ];
  return `select event_time, outcome, event_name, actor, ip_address, denial_kind, resource_name, path
from events
where ${conditions.join("\n  and ")}
order by event_time desc, event_key desc
limit 1000
`;
}

function writeList(column: FilterColumn, values: readonly string[], sign: string): string[] {
  if (values.length === 0) return [];
  const list = values.map(quoteText).join(", ");
  const conditions = expressions[column].map((expression) => `${expression} in (${list})`);
  return [`${sign}(${conditions.join(" or ")})`];
}

const textColumns =
  "event_name, path, resource_name, resource_path, target_table, target_resource_name, target_connection,\n    affected_user, attribute_name, query_text, old_value, new_value, old_values, new_values, event_detail";

function writeTextCondition(text: string): string {
  return `contains(lower(concat_ws(chr(10),\n    ${textColumns}\n  )), lower(${quoteText(text)}))`;
}
