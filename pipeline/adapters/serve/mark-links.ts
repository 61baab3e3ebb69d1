import { formatDay } from "../../base/time/text.ts";
import type { FilterColumn } from "../../answers/events/filters.ts";
import type { ChartForm } from "../../base/report/chart-form.ts";
import type { Report } from "../../base/report/find.ts";
import { newLeads } from "./leads.ts";

type Range = Readonly<Record<string, string>>;

/** Columns of charts that the search for events filters by. */
const filters: Readonly<Record<string, FilterColumn>> = {
  actor: "person",
  event_name: "event",
  ip_address: "address",
  denial_kind: "kind",
  outcome: "outcome",
  area: "area",
};

/** Columns of charts that reports take as a parameter. */
const parameters: Readonly<Record<string, string>> = {
  actor: "user",
  table_name: "table",
  ip_address: "address",
};

/** Where the marks of a report's chart lead to, by their value of x: its events, a report, or the page of what it names. */
export function newMarkLinks(
  { chart, family }: Pick<Report, "chart" | "family">,
  range: Range,
): ((x: string) => string | undefined) | undefined {
  if (chart === undefined) return undefined;
  const { link = "" } = chart;
  if (link === "events") return (x) => buildEventsLink(chart, family, range, x);
  const [, report] = /^report:(.*)$/.exec(link) ?? [];
  const parameter = parameters[chart.x];
  if (report !== undefined && parameter !== undefined)
    return (x) =>
      `/reports/${report}?${new URLSearchParams({ ...range, [parameter]: x }).toString()}`;
  const leads = newLeads(range);
  return (x) => leads({ name: chart.x, type: "VARCHAR", kind: "text" }, x, []);
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const dayMs = 86_400_000;

// Of a day, or of a value that events are filtered by; denials are the events that were denied or failed.
function buildEventsLink(
  { x: column }: ChartForm,
  family: string,
  range: Range,
  x: string,
): string | undefined {
  const filter = filters[column];
  const isDay = day.test(x);
  if (!isDay && filter === undefined) return undefined;
  const own = new URLSearchParams(isDay ? { since: x, until: nextDay(x) } : range);
  if (!isDay) own.append(filter!, x);
  if (family === "denials")
    for (const outcome of ["denied", "failed"]) own.append("outcome", outcome);
  return `/events?${own.toString()}`;
}

function nextDay(text: string): string {
  return formatDay(Date.parse(text) + dayMs);
}

/** Where an amount of a stack by day leads to: the events of its day that have its value; undefined for other stacks. */
export function addStackFilter(
  { chart }: Pick<Report, "chart">,
  dayHref: string,
  value: string,
): string | undefined {
  const filter = filters[chart?.stack ?? ""];
  if (chart?.link !== "events" || filter === undefined) return undefined;
  const [path, query] = dayHref.split("?") as [string, string?];
  const search = new URLSearchParams(query);
  search.set(filter, value);
  return `${path}?${search.toString()}`;
}
