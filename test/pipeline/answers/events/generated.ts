import { catalog } from "../../../../schemas/generated/catalog.ts";
import type { Random } from "../../../../fixtures/random.ts";
import type { Interval } from "../../../../pipeline/base/time/periods.ts";
import {
  type EventFilters,
  type FilterColumn,
  filterColumns,
  type ValueFilter,
} from "../../../../pipeline/answers/events/filters.ts";
import { type Fact, listFacts } from "../../../queries/oracle/record.ts";

// Generated records of two sources, and what a search finds in them by rules of its own.

export type KnownEvent = Fact & {
  readonly id: string;
  readonly source: string;
  readonly values: Readonly<Record<FilterColumn, string>>;
};

// A name that the reference has for another event.
const alias = catalog.entries
  .flatMap(({ event, aliases }) => aliases.filter(({ name }) => name !== event))
  .find(({ onlyWithPath }) => !onlyWithPath)!.name;
const names = [
  alias,
  "user_signed_in",
  "sign_in_failed",
  "job_result_download",
  "job_result_download_denied",
  "permission_unauthorized_access",
  "database_create",
  "unheard_of",
  "",
  "segments.query.column_visibility_violation",
];
const zonesChange = Date.UTC(2026, 2, 29, 1) / 1000;

/** Records around a change of clocks, many of them alike and within one second. */
export function generateRecords(random: Random, source: string, count: number): object[] {
  return Array.from({ length: count }, (_, i) => {
    const event_name = random.pick(names);
    return {
      id: `${source}${i}`,
      time: zonesChange + random.int(-300, 300) * random.pick([0, 60, 900, 3600]),
      event_name,
      user_email: random.pick([null, "", "Ann@example.com", "bob@example.com", "none"]),
      user_id: random.pick([null, 7, 17]),
      ip_address: random.pick([null, "", "internal", "203.0.113.1", "203.0.113.2", "malformed"]),
      event_result: random.pick([null, "success", "denied"]),
      resource_name: random.pick(["Sales", "hr.people", '<b>"x"</b>', "a,b"]),
    };
  });
}

/** What filters compare of each record. */
export function describeRecords(records: readonly object[], source: string): KnownEvent[] {
  return listFacts(records as Record<string, unknown>[], []).map((fact) => ({
    ...fact,
    id: fact.text("id")!,
    source,
    values: {
      outcome: fact.outcome,
      kind: fact.denialKind ?? "none",
      event: fact.name || "none",
      person: fact.actor,
      address: fact.ip || "none",
      area: fact.area ?? "none",
      database: nameDatabase(fact),
    },
  }));
}

function nameDatabase(fact: Fact): string {
  const resource = fact.text("resource_name") ?? "";
  const name = fact.canonical === "database_create" ? resource : undefined;
  const isOfTable = fact.area === "Jobs" && resource.includes(".");
  return (name ?? (isOfTable ? resource.split(".")[0]! : "")).toLowerCase() || "none";
}

/** Whether an event fits a filter of one column. */
function fitsColumn(event: KnownEvent, column: FilterColumn, filter: ValueFilter): boolean {
  const hasValue = (value: string): boolean =>
    event.values[column] === value ||
    (column === "person" && event.userId === value) ||
    (column === "event" && event.canonical === value);
  const { included, excluded } = filter;
  return (included.length === 0 || included.some(hasValue)) && !excluded.some(hasValue);
}

/** The events of a range that fit, apart from the filter of one column. */
export function searchRecords(
  events: readonly KnownEvent[],
  { columns, text, object }: EventFilters,
  { startMs, endMs }: Interval,
  besides?: FilterColumn,
): KnownEvent[] {
  return events.filter((event) => {
    const resource = event.text("resource_name") ?? "";
    const words = [event.name ?? "", resource].join("\n").toLowerCase();
    return (
      event.time >= startMs &&
      event.time < endMs &&
      (object === undefined || resource === object) &&
      (text === undefined || words.includes(text.toLowerCase())) &&
      filterColumns.every((name) => name === besides || fitsColumn(event, name, columns[name]))
    );
  });
}

/** Filters of some columns, with values that occur, that do not, and ids. */
export function generateFilters(random: Random, events: readonly KnownEvent[]): EventFilters {
  const pickValues = (name: FilterColumn): string[] => {
    if (!random.chance(0.3)) return [];
    const count = random.int(1, 3);
    return Array.from({ length: count }, () => {
      const event = random.pick(events);
      if (name === "person" && random.chance(0.3)) return random.pick(["7", "17", "nobody"]);
      if (name === "event" && random.chance(0.3))
        return random.pick(events.filter((each) => each.name === alias)).canonical!;
      return event.values[name];
    });
  };
  const columns = Object.fromEntries(
    filterColumns.map((name) => [name, { included: pickValues(name), excluded: pickValues(name) }]),
  ) as unknown as EventFilters["columns"];
  return {
    columns,
    ...(random.chance(0.2) ? { text: random.pick(["SIGN", "people", "<b>", "none of this"]) } : {}),
    ...(random.chance(0.2) ? { object: random.pick(["Sales", "a,b"]) } : {}),
  };
}
