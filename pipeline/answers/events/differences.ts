import { getOwn } from "../../base/home/get-own.ts";
import { parseJson } from "../../base/rows/json-text.ts";

/** One place at which an old and a new value differ; null where a value has nothing there. */
export type Difference = {
  /** Names of members with dots between; empty for the whole value. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
};

const mostLevels = 20;

/**
 * Lists where two recorded values differ. Members of JSON objects are compared by name, elements of arrays in any order;
 * other texts as a whole.
 */
export function listDifferences(before: string | null, after: string | null): Difference[] {
  if (before === after) return [];
  const whole = [{ place: "", before, after }];
  const [old, now] = [before, after].map((text) => (text === null ? undefined : parseJson(text)));
  const isText = (text: string | null, value: unknown): boolean =>
    text !== null && !(isArray(value) || isObject(value));
  if (isText(before, old) || isText(after, now)) return whole;
  if (before !== null && after !== null && isArray(old) !== isArray(now)) return whole;
  try {
    return compare([], old, now);
  } catch (error) {
    // Values that are nested thousands of levels deep have no text.
    if (error instanceof RangeError) return whole;
    throw error;
  }
}

function compare(path: readonly string[], before: unknown, after: unknown): Difference[] {
  const isDeep = path.length >= mostLevels;
  if (!isDeep && [before, after].every((each) => each === undefined || isArray(each)))
    return compareElements(path, before as unknown[] | undefined, after as unknown[] | undefined);
  if (!isDeep && [before, after].every((each) => each === undefined || isObject(each))) {
    const [old, now] = [(before ?? {}) as Members, (after ?? {}) as Members];
    const names = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...names].flatMap((name) =>
      compare([...path, name], getOwn(old, name), getOwn(now, name)),
    );
  }
  const [old, now] = [writeValue(before), writeValue(after)];
  return old === now ? [] : [{ place: path.join("."), before: old, after: now }];
}

// Sets of permissions and lists of columns are recorded in any order.
function compareElements(
  path: readonly string[],
  before: readonly unknown[] = [],
  after: readonly unknown[] = [],
): Difference[] {
  const place = path.join(".");
  const [old, now] = [before, after].map((values) => values.map((value) => writeValue(value)!));
  return [
    ...subtract(old!, now!).map((value) => ({ place, before: value, after: null })),
    ...subtract(now!, old!).map((value) => ({ place, before: null, after: value })),
  ];
}

// Returns elements that are more frequent in the first list, as often as the difference.
function subtract(values: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of others) counts.set(value, (counts.get(value) ?? 0) + 1);
  return values.filter((value) => {
    const count = counts.get(value) ?? 0;
    counts.set(value, count - 1);
    return count <= 0;
  });
}

type Members = Readonly<Record<string, unknown>>;

function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !isArray(value);
}

// With members in one order, so that equal objects have one text.
function writeValue(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string") return value;
  const sort = (_name: string, member: unknown): unknown =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort()) : member;
  return JSON.stringify(value, sort);
}
