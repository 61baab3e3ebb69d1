import { parseMoment } from "../moments/times.ts";
import { csvToLines } from "./csv.ts";
import type { PageFormat } from "./format.ts";
import { eachLine, readJson } from "./each.ts";

/** The event times of a whole page's records, milliseconds; undefined for a record that shows none. */
export function timesOf(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
): (number | undefined)[] {
  const times: (number | undefined)[] = [];
  const source = format === "csv" ? csvToLines(bytes) : bytes;
  const take = (start: number, end: number): void =>
    void times.push(timeOf(source.toString("utf8", start, end)));
  if (format === "json") readJson(source, recordsAt, take);
  else eachLine(source, take);
  return times;
}

function timeOf(record: string): number | undefined {
  try {
    const { time } = JSON.parse(record) as { time?: unknown };
    const text = String(time);
    if (/^\d+(\.\d+)?$/.test(text)) return epochMs(Number(text));
    return /^\d{4}-/.test(text) ? parseMoment(text, 0) : undefined;
  } catch {
    return undefined;
  }
}

// Seconds or milliseconds, by the rule of the load.
function epochMs(value: number): number | undefined {
  return value < 1e11 ? value * 1000 : value < 1e14 ? value : undefined;
}
