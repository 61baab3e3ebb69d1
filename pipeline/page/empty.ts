import { PageError } from "./error.ts";

// A window whose pages are empty is finalized as empty, so a body has to say plainly that it has no records: a
// service that answers 200 to tell of its own fault must not be taken for a quiet one.

/**
 * Throws PageError unless a body in which no record was found says that there are none: with one empty array
 * among its members or, where none is there, among those of the objects in it, and with no sign of a fault.
 */
export function checkEmpty(body: unknown): void {
  const objects = isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
  if (objects.some((object) => tellsOfFault(object, Infinity) || hasMessage(object))) throw fault();
  const outside = holdersOf(objects.slice(0, 1));
  const holders = outside.length > 0 ? outside : holdersOf(objects.slice(1));
  if (holders.length === 0)
    throw new PageError(
      "the body has no array of records; expected one, or newline-delimited JSON",
    );
  if (holders.length > 1)
    throw new PageError(
      "the body has several empty arrays; say which one is that of the records in sources.<name>.audits.records_at",
    );
  if ([objects[0]!, holders[0]!].some((object) => "time" in object || "event_name" in object))
    throw new PageError(
      "the body looks like a single record; expected an array of records, one record to a line, or sources.<name>.audits.records_at",
    );
}

/**
 * Throws PageError where a body whose record array is known, and is empty, tells of a fault. Only a status of
 * HTTP counts among the numbers: a service may well have a greater one of its own for success.
 */
export function checkNoFault(body: unknown): void {
  if (isObject(body) && tellsOfFault(body, 599)) throw fault();
}

/** True for an object that is no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Each object once for every empty array among its members.
function holdersOf<T extends object>(objects: readonly T[]): T[] {
  const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return objects.flatMap((object) =>
    Object.values(object)
      .filter(isEmptyArray)
      .map(() => object),
  );
}

function tellsOfFault(object: Readonly<Record<string, unknown>>, highest: number): boolean {
  const { error, errors, fault: cause, success, ok, status, code } = object;
  return (
    [error, errors, cause].some(hasContent) ||
    success === false ||
    ok === false ||
    [status, code].some((value) => isFault(value, highest))
  );
}

function isFault(value: unknown, highest: number): boolean {
  if (typeof value === "string" && /^(error|fail(ed|ure)?)$/i.test(value)) return true;
  return (
    (typeof value === "number" || typeof value === "string") && +value >= 400 && +value <= highest
  );
}

// Where nothing says where the records are, words beside an empty array are rather those of a fault.
function hasMessage({ message }: Readonly<Record<string, unknown>>): boolean {
  return typeof message === "string" && message !== "" && !/^(ok|success)/i.test(message);
}

function hasContent(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== false && value !== "" && !hasNothing(value)
  );
}

function hasNothing(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function fault(): PageError {
  return new PageError(
    "the body tells of an error and has no records; if it does not, say where its records are in sources.<name>.audits.records_at",
  );
}
