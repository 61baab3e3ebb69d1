import {
  type EventFilters,
  type FilterColumn,
  filterColumns,
  checkValue,
  listVariants,
} from "../../../answers/events/filters.ts";
import type { EventPlace } from "../../../answers/events/rows.ts";
import { UsageError } from "../../../base/errors.ts";
import { quoteStart } from "../../../base/printable.ts";
import type { PageRange } from "../visit.ts";
import type { Interval } from "../../../base/time/periods.ts";
import { formatIso } from "../../../base/time/text.ts";
import { toTimestamp } from "../../../base/time/text.ts";
import { parseMoment } from "../../../base/time/times.ts";

// The address of a search: `person=a&person=b` includes values of a column, `not_person=c` excludes one. `since` and
// `until` are the range of the histogram, `from` and `to` the selected part of it.

/** Parameters of an address, each with all its values; empty ones are left out. */
export type Address = Readonly<Record<string, readonly string[]>>;

const single = [
  "since",
  "until",
  "from",
  "to",
  "text",
  "object",
  "fold",
  "below_time",
  "below_key",
];
const several = filterColumns.flatMap((name) => [name, `not_${name}`]);

export const searchParameters: readonly string[] = [...single, ...several];

export type Search = {
  readonly filters: EventFilters;
  readonly range: Interval;
  /** The part of the range whose events are listed; the range where none is selected. */
  readonly selected: Interval;
  readonly isSelected: boolean;
  readonly isFolded: boolean;
  readonly place: EventPlace | undefined;
};

/** Reads an address: each value once, and no empty ones. */
export function readAddress(params: URLSearchParams): Address {
  const names = [...new Set(params.keys())];
  const entries = names.map((name) => {
    const values = params.getAll(name).filter((value) => value !== "");
    return [name, [...new Set(values)]] as const;
  });
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

/**
 * Parses an address in the range of its page. Throws UsageError for a bad time, a range that ends before it starts, and a word
 * that is no outcome.
 */
export function parseSearch(address: Address, { since, until }: PageRange, nowMs: number): Search {
  const twice = single.find((name) => (address[name]?.length ?? 0) > 1);
  if (twice !== undefined)
    throw new UsageError(`the address has ${quoteStart(twice)} more than once`);
  const range = { startMs: parseMoment(since, nowMs), endMs: parseMoment(until, nowMs) };
  refuseEmpty(range, "since", "until");
  const selected = parseSelection(address, range, nowMs);
  return {
    filters: parseFilters(address),
    range,
    selected: selected ?? range,
    isSelected: selected !== undefined,
    isFolded: getOne(address, "fold") !== "no",
    place: parsePlace(address, nowMs),
  };
}

// A selection outside of a range that was chosen later is ignored.
function parseSelection(address: Address, range: Interval, nowMs: number): Interval | undefined {
  const [from, to] = [getOne(address, "from"), getOne(address, "to")];
  if (from === undefined && to === undefined) return undefined;
  const startMs = from === undefined ? range.startMs : parseMoment(from, nowMs);
  const endMs = to === undefined ? range.endMs : parseMoment(to, nowMs);
  if (from !== undefined && to !== undefined) refuseEmpty({ startMs, endMs }, "from", "to");
  const selected = {
    startMs: Math.max(range.startMs, startMs),
    endMs: Math.min(range.endMs, endMs),
  };
  return selected.startMs < selected.endMs ? selected : undefined;
}

function getOne(address: Address, name: string): string | undefined {
  return address[name]?.[0];
}

function refuseEmpty({ startMs, endMs }: Interval, start: string, end: string): void {
  if (startMs < endMs) return;
  const what = startMs > endMs ? "ends before it starts" : "is an empty range";
  throw new UsageError(
    `${start} ${formatIso(startMs)} ${end} ${formatIso(endMs)} ${what}; ${start} must be before ${end}`,
  );
}

function parseFilters(address: Address): EventFilters {
  const readValues = (column: FilterColumn, name: string): readonly string[] => {
    for (const value of address[name] ?? []) checkValue(column, value);
    return (address[name] ?? []).flatMap((value) => listVariants(column, value));
  };
  const columns = Object.fromEntries(
    filterColumns.map((name) => [
      name,
      { included: readValues(name, name), excluded: readValues(name, `not_${name}`) },
    ]),
  ) as unknown as EventFilters["columns"];
  return {
    columns,
    text: getOne(address, "text"),
    object: getOne(address, "object"),
  };
}

// A place is the time of an event, which may have microseconds; truncated, it would skip other events of its
// millisecond.
function parsePlace(address: Address, nowMs: number): EventPlace | undefined {
  const time = getOne(address, "below_time");
  if (time === undefined) return undefined;
  const finer = /\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? "";
  const ms = parseMoment(time.split(" ").join("T"), nowMs);
  return {
    time: `${toTimestamp(ms)}${finer}`,
    key: getOne(address, "below_key") ?? "",
  };
}

const path = "/events";

const mostCharacters = 1000;

/** Whether a value fits into an address: a longer one than a server takes leads nowhere. */
export function isLinkable(value: string): boolean {
  return value.length <= mostCharacters;
}

/** Writes the address of the page of a search, without the place of a later page. */
export function writeSearchUrl(address: Address, to = path): string {
  const parameters = new URLSearchParams();
  for (const name of searchParameters) {
    if (name === "below_time" || name === "below_key") continue;
    for (const value of address[name] ?? []) parameters.append(name, value);
  }
  return parameters.size === 0 ? to : `${to}?${parameters.toString()}`;
}

export function writePlaceUrl(address: Address, { time, key }: EventPlace): string {
  const url = writeSearchUrl(address);
  const place = new URLSearchParams({ below_time: time, below_key: key });
  return `${url}${url.includes("?") ? "&" : "?"}${place.toString()}`;
}

/** The address with other values of some parameters; none remove a parameter. */
export function changeAddress(address: Address, changes: Address): Address {
  return { ...address, ...changes };
}

/** The address that includes or excludes a value of a column and does neither any more for the other way. */
export function addValue(
  address: Address,
  column: FilterColumn,
  value: string,
  isExcluded = false,
): Address {
  const name = isExcluded ? `not_${column}` : column;
  const cleared = removeValue(address, column, value);
  return changeAddress(cleared, { [name]: [...(cleared[name] ?? []), value] });
}

/** Whether an address includes a value of a column, or excludes it. */
export function hasValue(
  address: Address,
  column: FilterColumn,
  value: string,
  isExcluded: boolean,
): boolean {
  const given = address[isExcluded ? `not_${column}` : column] ?? [];
  return given.some((each) => listVariants(column, each).includes(value));
}

/** The address without a value of a column. */
export function removeValue(address: Address, column: FilterColumn, value: string): Address {
  const without = (name: string): readonly string[] =>
    (address[name] ?? []).filter((each) => !listVariants(column, each).includes(value));
  return changeAddress(address, {
    [column]: without(column),
    [`not_${column}`]: without(`not_${column}`),
  });
}
