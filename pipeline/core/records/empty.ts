import { isBeside } from "./arrays.ts";
import { PageError } from "./error.ts";
import { isObject } from "../../../schemas/object.ts";
import { listSigns } from "./signs.ts";

// A window whose pages are empty is finalized as empty, so a body has to show plainly that it has no records. A service
// that answers 200 with a fault of its own must not be taken for a quiet one.

/**
 * Throws PageError unless a body without records shows that the range is empty: it has exactly one empty array among
 * its members (or else among the members of its objects), and no sign of a fault except `ignored`.
 */
export function checkEmpty(body: unknown, ignored: readonly string[]): void {
  const objects = isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
  checkNoFault(body, ignored);
  if (objects.some((object) => hasBadCode(object, ignored) || hasMessage(object, ignored)))
    throw newEmptyPageError();
  const outside = listHolders(objects.slice(0, 1), isEmptyArray);
  const holders = outside.length > 0 ? outside : listHolders(objects.slice(1), isEmptyArray);
  if (holders.length === 0 || listHolders(objects, isArrayOfObjects).length > 0)
    throw new PageError(
      "the body has no array of records; expected one, or newline-delimited JSON, each record with its time or event_name; otherwise set sources.<name>.audits.records_at",
    );
  if (holders.length > 1)
    throw new PageError(
      "the body has several arrays that may contain the records; set sources.<name>.audits.records_at to one of them",
    );
  if ([objects[0]!, holders[0]!].some((object) => "time" in object || "event_name" in object))
    throw new PageError(
      "the body looks like a single record; expected an array of records, one record per line, or sources.<name>.audits.records_at",
    );
}

/** Throws PageError where a body whose record array is known, and is empty, names a fault that is not `ignored`. */
export function checkNoFault(body: unknown, ignored: readonly string[]): void {
  if (listSigns(body, ignored).length > 0) throw newEmptyPageError();
  if (isObject(body) && !ignored.includes("code") && isHttpFault(body["code"]))
    throw newEmptyPageError();
}

// Each object once for every array among its members that may be the list and passes a test.
function listHolders<T extends object>(
  objects: readonly T[],
  test: (value: unknown) => boolean,
): T[] {
  return objects.flatMap((object) =>
    Object.entries(object)
      .filter(([key, value]) => !isBeside(key) && test(value))
      .map(() => object),
  );
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isArrayOfObjects(value: unknown): boolean {
  return Array.isArray(value) && isObject(value[0]);
}

// Without a record path, any number from the range of HTTP statuses or above more likely means a fault.
function hasBadCode(
  { code, status }: Readonly<Record<string, unknown>>,
  ignored: readonly string[],
): boolean {
  const isBad = (value: unknown): boolean =>
    (typeof value === "number" || typeof value === "string") && +value >= 400;
  return (
    (!ignored.includes("code") && isBad(code)) || (!ignored.includes("status") && isBad(status))
  );
}

function isHttpFault(value: unknown): boolean {
  return (typeof value === "number" || typeof value === "string") && +value >= 400 && +value <= 599;
}

// The same of words beside an empty array.
function hasMessage(
  { message }: Readonly<Record<string, unknown>>,
  ignored: readonly string[],
): boolean {
  const isFault = typeof message === "string" && message !== "" && !/^(ok|success)/i.test(message);
  return isFault && !ignored.includes("message");
}

function newEmptyPageError(): PageError {
  return new PageError(
    "the body reports an error and has no records; if that is wrong, see records_at and ignore_signs of sources.<name>.audits",
  );
}
