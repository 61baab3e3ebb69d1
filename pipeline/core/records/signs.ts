import { isObject } from "../../../schemas/object.ts";

// Signs in an answer that contradict its completeness. `ignore_signs` in the configuration takes these names.

type Test = (value: unknown) => boolean;

const isTrue: Test = (value) => value === true || value === "true";
const isFalse: Test = (value) => value === false || value === "false";

const tests: Readonly<Record<string, Test>> = {
  error: hasContent,
  errors: hasContent,
  fault: hasContent,
  faults: hasContent,
  success: isFalse,
  ok: isFalse,
  partial: isTrue,
  incomplete: isTrue,
  truncated: isTrue,
  timed_out: isTrue,
  status: isFaultStatus,
};

/**
 * The names of the signs of a fault in the body around the records, top level and the objects in it. A bare array has
 * none. Those to be ignored are left out.
 */
export function listSigns(envelope: unknown, ignored: readonly string[]): string[] {
  const found = listObjects(envelope).flatMap((object) =>
    Object.entries(object)
      .map(([key, value]) => [toSnakeCase(key), value] as const)
      .filter(([key, value]) => Object.hasOwn(tests, key) && tests[key]!(value))
      .map(([key]) => key),
  );
  return [...new Set(found)].filter((sign) => !ignored.includes(sign)).sort();
}

const moreKeys = new Set(["has_more", "has_next", "has_next_page", "more_available"]);

/** Returns whether the body announces a next page. */
export function announcesMore(envelope: unknown): boolean {
  return listObjects(envelope).some((object) =>
    Object.entries(object).some(([key, value]) => moreKeys.has(toSnakeCase(key)) && isTrue(value)),
  );
}

const nextKeys = new Set([
  "next",
  "next_page",
  "next_url",
  "next_uri",
  "next_link",
  "next_href",
  "next_cursor",
  "next_token",
  "next_marker",
  "next_offset",
  "next_page_token",
  "next_page_url",
  "next_page_link",
  "next_page_cursor",
  "odata_next_link",
  "continuation",
  "continuation_token",
]);

/** Decides whether the body names a next page, under any usual key. */
export function namesNext(envelope: unknown): boolean {
  return listObjects(envelope).some((object) =>
    Object.entries(object).some(([key, value]) => nextKeys.has(toSnakeCase(key)) && isWayOn(value)),
  );
}

function isWayOn(value: unknown): boolean {
  if (typeof value === "number") return value > 0;
  if (typeof value === "string") return value !== "";
  return isObject(value) && Object.values(value).some((inner) => typeof inner === "string");
}

const totalKeys = ["total", "total_count", "total_records", "total_results"];
const totalHolders = ["meta", "metadata", "paging", "pagination"];

/** Reads the number of all records from the body, at a dotted path or under a usual name; undefined if it has none. */
export function readTotal(envelope: unknown, totalAt: string | null): number | undefined {
  if (!isObject(envelope)) return undefined;
  if (totalAt !== null) return readWholeNumber(readValueAt(envelope, totalAt));
  const holders = [envelope, ...totalHolders.map((key) => envelope[key]).filter(isObject)];
  const found = holders.flatMap((holder) => totalKeys.map((key) => readWholeNumber(holder[key])));
  return found.find((total) => total !== undefined);
}

/** Reads the value at a dotted path of a body; undefined if missing. */
export function readValueAt(body: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      body,
    );
}

function readWholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}

function listObjects(envelope: unknown): Readonly<Record<string, unknown>>[] {
  if (!isObject(envelope)) return [];
  return [envelope, ...Object.values(envelope).filter(isObject)];
}

function toSnakeCase(key: string): string {
  return key
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|(?<!_)_+$/g, "")
    .toLowerCase();
}

// Only a status of HTTP counts among the numbers: a service may well have a greater one of its own for success.
function isFaultStatus(value: unknown): boolean {
  if (typeof value === "string" && /^(error|fail(ed|ure)?)$/i.test(value)) return true;
  return (typeof value === "number" || typeof value === "string") && +value >= 400 && +value <= 599;
}

function hasContent(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== "" && value !== 0;
}
