import { convertCsvToLines } from "../../records/csv.ts";
import { isObject } from "../../../../schemas/object.ts";
import { PageError } from "../../records/error.ts";
import { parseExactly } from "../../records/text.ts";
import { readTimes } from "../../records/event-times.ts";
import type { HttpAnswer } from "../../../base/http/exchange.ts";
import { type OpenedPage, openPage } from "../open-page.ts";
import type { Interval } from "../../../base/time/periods.ts";

/** How an answer holds its records. */
export type Shape = "array" | "envelope" | "ndjson" | "csv";

/** One record, known by its text. */
export type SeenRecord = {
  readonly text: string;
  /** Event time, milliseconds; undefined where it shows none. */
  readonly ms: number | undefined;
};

export type SeenAnswer = {
  readonly shape: Shape;
  /** What `records_at` has to be; null where the records are found by themselves. */
  readonly recordsAt: string | null;
  readonly records: readonly SeenRecord[];
  readonly envelope: unknown;
  readonly headers: HttpAnswer["headers"];
  readonly url: string;
};

/**
 * An answer taken apart, its records at the dotted path that is known, or else where they are found. Undefined where it
 * is no page of records.
 */
export function readSeen(answer: HttpAnswer, known?: string | null): SeenAnswer | undefined {
  const recordsAt = known === undefined ? findRecordsPath(answer.body) : known;
  try {
    const page = openPage(answer, { records_at: recordsAt, ignore_signs: [] });
    const times = readTimes(page.bytes, page.format, recordsAt);
    const records = listRecordTexts(page, recordsAt).map((text, i) => ({ text, ms: times[i] }));
    const { envelope, headers, url } = page;
    return { shape: classifyShape(page), recordsAt, records, envelope, headers, url };
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

function classifyShape({ format, envelope }: OpenedPage): Shape {
  if (format !== "json") return format;
  return isObject(envelope) ? "envelope" : "array";
}

// A body with a further array needs a path, to distinguish it from an answer without records.
function findRecordsPath(body: Buffer): string | null {
  try {
    const arrays = [...listArrays(parseExactly(body), [])];
    const held = arrays.filter(({ first }) => isObject(first) && "time" in first);
    return held.length === 1 && arrays.length > 1 ? held[0]!.path : null;
  } catch {
    return null;
  }
}

type FoundArray = {
  readonly path: string;
  readonly array: readonly unknown[];
  readonly first: unknown;
};

function* listArrays(value: unknown, keys: readonly string[]): Generator<FoundArray> {
  if (!isObject(value) || keys.length > 4) return;
  for (const [key, member] of Object.entries(value)) {
    const path = [...keys, key];
    if (Array.isArray(member))
      yield { path: path.join("."), array: member as unknown[], first: (member as unknown[])[0] };
    else yield* listArrays(member, path);
  }
}

function listRecordTexts(
  { bytes, format, records }: OpenedPage,
  recordsAt: string | null,
): string[] {
  if (records === 0) return [];
  if (format !== "json") {
    const lines = format === "csv" ? convertCsvToLines(bytes) : bytes;
    return lines
      .toString("utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  }
  const body = parseExactly(bytes);
  const arrays = Array.isArray(body) ? [{ path: null, array: body }] : [...listArrays(body, [])];
  const found = arrays.find(({ path, array }) =>
    recordsAt === null ? array.length === records && isObject(array[0]) : path === recordsAt,
  );
  return (found?.array ?? []).map((record) => JSON.stringify(record));
}

/** Decides whether two lists have the same texts of records in the same order, each as often. */
export function areSameRecords(a: readonly SeenRecord[], b: readonly SeenRecord[]): boolean {
  if (a.length !== b.length) return false;
  const other = b.map(({ text }) => text).toSorted();
  return a
    .map(({ text }) => text)
    .toSorted()
    .every((text, i) => text === other[i]);
}

/** The records of a list that lie in a window. */
export function selectWithin(
  records: readonly SeenRecord[],
  { startMs, endMs }: Interval,
): SeenRecord[] {
  return records.filter(({ ms }) => ms !== undefined && ms >= startMs && ms < endMs);
}

/** Detects the order of record times: oldest first, newest first, or neither. */
export function detectOrder(records: readonly SeenRecord[]): "rising" | "falling" | undefined {
  const times = records.map(({ ms }) => ms ?? NaN);
  const isOrdered = (isNext: (a: number, b: number) => boolean): boolean =>
    times.slice(1).every((ms, i) => isNext(times[i]!, ms));
  if (isOrdered((a, b) => a <= b)) return "rising";
  return isOrdered((a, b) => a >= b) ? "falling" : undefined;
}

/**
 * Lists up to `most` consecutive windows that cover a page, each starting at the time of a record. The first and last
 * second are excluded, since their records can continue on other pages.
 */
export function listIntervals(records: readonly SeenRecord[], most: number): Interval[] {
  const seconds = records.flatMap(({ ms }) => (ms === undefined ? [] : [Math.floor(ms / 1000)]));
  const all = [...new Set(seconds)].toSorted((a, b) => a - b);
  const inner = all.slice(1, findEnd(all));
  if (inner.length === 0) return [];
  const count = Math.max(1, Math.min(most, Math.floor(inner.length / 2)));
  const edges = Array.from(
    { length: count },
    (_, i) => inner[Math.floor((i * inner.length) / count)]!,
  );
  return edges.map((startS, i) => ({
    startMs: startS * 1000,
    endMs: (edges[i + 1] ?? inner.at(-1)! + 1) * 1000,
  }));
}

// A window should not end right where the next record is: to some services its last second belongs to it.
function findEnd(seconds: readonly number[]): number {
  const gap = seconds.findLastIndex((at, i) => (seconds[i + 1] ?? at) > at + 1);
  return gap > seconds.length / 2 ? gap + 1 : -1;
}
