import { expect, it } from "vitest";
import { chooseOrder } from "../../../../../pipeline/adapters/serve/reports/sort.ts";

const byTime = { column: "event_time", isDescending: true };

it.each([
  ["order by event_time, actor", "", byTime],
  ["order by event_time asc, actor\n", "", byTime],
  ["ORDER BY day;", "", { column: "day", isDescending: true }],
  ["order by event_time desc, actor", "", undefined],
  ["order by event_times", "", undefined],
  ["order by denials desc, event_time", "", undefined],
  ["where n in (select n from t order by event_time, n)", "", undefined],
  ["order by event_time, actor", "sort=actor", { column: "actor", isDescending: false }],
  ["order by event_time, actor", "sort=event_time", { column: "event_time", isDescending: false }],
])("a page of a report that ends with %j shows it in the order of %j", (end, query, expected) => {
  const visit = { params: new URLSearchParams(query) };
  expect(chooseOrder(visit, `select event_time from events\n${end}`)).toEqual(expected);
});
