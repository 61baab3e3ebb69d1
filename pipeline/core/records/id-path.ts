import { catalog } from "../../../schemas/generated/catalog.ts";
import { digitsOf, parseKeepingNumbers } from "./canonical.ts";
import { isObject } from "../../../schemas/object.ts";

// What names the records of a log whose records have no `id`.

const leastRecords = 20;
const mostRecords = 1000;
const mostDepth = 4;
// Of several candidates, one that is called an id comes first. Times differ by chance, and from read to read.
const idName = /(^|[._-]|[a-z])(id|uuid|guid|ulid|key)$/i;
const timeName = /(time|date|timestamp|_at|At|_ms|_ns)$/;

/**
 * Finds the dotted path of a scalar that the catalog does not know, that each record of a sample has and that is
 * different in each. Undefined where a record has an `id`, where there is no such path, or the sample is too small.
 */
export function findIdPath(records: readonly string[]): string | undefined {
  const sample = records.slice(0, mostRecords).map(scalarsOf);
  const [first] = sample;
  if (first === undefined || sample.length < leastRecords) return undefined;
  if (sample.some((scalars) => scalars === undefined || scalars.has("id"))) return undefined;
  const isUnique = (path: string): boolean => {
    const values = sample.flatMap((scalars) => scalars?.get(path) ?? []);
    return new Set(values).size === sample.length;
  };
  const paths = [...first.keys()].filter((path) => !timeName.test(path) && isUnique(path));
  const rank = (path: string): number => (isIdName(path) ? 0 : 1);
  return paths.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))[0];
}

/** Decides whether a path is called as an id is. */
export function isIdName(path: string): boolean {
  return idName.test(path);
}

function scalarsOf(record: string): ReadonlyMap<string, string> | undefined {
  try {
    const found = new Map<string, string>();
    collect(parseKeepingNumbers(record), [], found);
    return found;
  } catch {
    return undefined;
  }
}

function collect(value: unknown, keys: readonly string[], found: Map<string, string>): void {
  if (!isObject(value) || keys.length === mostDepth) return;
  for (const [key, member] of Object.entries(value)) {
    const isKnown = keys.length === 0 && key !== "id" && Object.hasOwn(catalog.fields, key);
    if (isKnown || member === null || member === "") continue;
    const path = [...keys, key];
    const digits = digitsOf(member) ?? (typeof member === "number" ? String(member) : undefined);
    // A number with a fraction is a measure or a time.
    if (digits !== undefined && /^-?\d+$/.test(digits)) found.set(path.join("."), digits);
    else if (typeof member === "string") found.set(path.join("."), member);
    else if (digits === undefined) collect(member, path, found);
  }
}
