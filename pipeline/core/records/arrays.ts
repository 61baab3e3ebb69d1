import { isObject } from "../../../schemas/object.ts";

// Which arrays of a body may hold its records. A record shows its time or its event's name; what lists faults, links
// or numbers beside the records never holds them.

const besideKeys = new Set(
  "errors error faults fault failures warnings warning messages links _links facets aggregations aggs included notices hints alerts problems filters sorts columns fields debug".split(
    " ",
  ),
);
const recordKeys = ["time", "event_name"];

/** How many elements of an array are looked at before it counts as no array of records. */
export const mostLookedAt = 100;

/** True for the key of an array that never holds the records. */
export function isBeside(key: string): boolean {
  return besideKeys.has(key.toLowerCase());
}

/** True where one of the keys is that of a record. */
export function showsRecord(keys: Iterable<string>): boolean {
  for (const key of keys) if (recordKeys.includes(key)) return true;
  return false;
}

/** Whether a parsed body still has an array of records, four objects deep at most. */
export function hasRecordArray(value: unknown, depth = 4): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, member]) => {
    if (Array.isArray(member)) return !isBeside(key) && holdsRecords(member);
    return depth > 0 && hasRecordArray(member, depth - 1);
  });
}

/** Whether an array's elements look like records. */
export function holdsRecords(array: readonly unknown[]): boolean {
  return array.slice(0, mostLookedAt).some((one) => isObject(one) && showsRecord(Object.keys(one)));
}
