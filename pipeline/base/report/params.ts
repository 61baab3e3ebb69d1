import { getMessage, UsageError } from "../errors.ts";
import type { ParamValue, Question } from "../sql/question.ts";
import { parsePeriod } from "../time/times.ts";
import { readMoment, readValue, refuseOutside, formatValue } from "./values.ts";
import type { Report } from "./find.ts";
import type { Param } from "./header.ts";

/** Parameter values as texts, by name. */
export type GivenValues = ReadonlyMap<string, string>;

/** The flags for the range of a report: two ends, or a period of the calendar. */
export type RangeFlags = {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly during?: string | undefined;
};

/**
 * Collects `--since` and `--until`, or both from `--during`, and every `--param name=value`; throws UsageError for one
 * given twice.
 */
export function readGivenParams(
  flags: RangeFlags,
  pairs: readonly string[],
  nowMs?: number,
): GivenValues {
  const given = new Map<string, string>();
  const range = Object.entries({
    since: flags.since,
    until: flags.until,
    ...readPeriod(flags, nowMs),
  });
  const all = [...range.filter(([, text]) => text !== undefined), ...pairs.map(splitPair)];
  for (const [name, text] of all) {
    if (given.has(name!)) throw new UsageError(`parameter ${name} is given twice`);
    given.set(name!, text!);
  }
  return given;
}

function readPeriod({ during, since, until }: RangeFlags, nowMs = 0): RangeFlags | undefined {
  if (during === undefined) return undefined;
  if (since !== undefined || until !== undefined)
    throw new UsageError(
      "found --during together with --since or --until; expected one or the other",
    );
  const period = parsePeriod(during, nowMs);
  const formatMoment = (ms: number): string => new Date(ms).toISOString();
  return { since: formatMoment(period.startMs), until: formatMoment(period.endMs) };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new UsageError(`--param ${JSON.stringify(pair)}: expected name=value`);
}

/** Throws UsageError for a given parameter that none of the reports has, and lists what exists. */
export function refuseUnknown(given: GivenValues, reports: readonly Report[]): void {
  const known = new Set(reports.flatMap((report) => report.params.map(({ name }) => name)));
  for (const name of given.keys())
    if (!known.has(name))
      throw new UsageError(
        `unknown parameter ${JSON.stringify(name)}; ${listParams(reports, known)}`,
      );
}

function listParams(reports: readonly Report[], known: ReadonlySet<string>): string {
  const [first, second] = reports;
  if (second) return `the reports take ${[...known].join(", ") || "none"}`;
  const texts = first!.params.map(describeParam);
  return `${first!.name} takes ${texts.join(", ") || "no parameters"}`;
}

/** A parameter as the listings show it: `since timestamp = 7d`, `user text required`. */
export function describeParam({ name, type, defaultText }: Param): string {
  return `${name} ${type} ${defaultText === undefined ? "required" : `= ${defaultText}`}`;
}

/** The parameters that a report needs and that were not given. */
export function listMissingParams(report: Report, given: GivenValues): Param[] {
  return report.params.filter(
    ({ name, defaultText }) => defaultText === undefined && !given.has(name),
  );
}

/**
 * Builds the parameters of a report with typed values: as given, else the defaults. Throws UsageError for a bad or
 * missing value and for an empty range; the range is half-open, [since, until).
 */
export function buildQuestion(report: Report, given: GivenValues, nowMs: number): Question {
  const [missing] = listMissingParams(report, given);
  if (missing)
    throw new UsageError(
      `report ${report.name} needs --param ${missing.name}=… (params in the configuration); ${listParams([report], new Set())}`,
    );
  const values = Object.fromEntries(
    report.params.map((param) => [param.name, chooseValue(report, param, given, nowMs)]),
  );
  refuseEmptyRange(report.name, values);
  return { sql: report.sql, values };
}

/** Builds the default parameters of a report, null without a default; used for compiling. Throws UsageError. */
export function buildDefaultQuestion(report: Report, nowMs: number): Question {
  const params = report.params.map((param) => ({
    ...param,
    defaultText: param.defaultText ?? null,
  }));
  return buildQuestion({ ...report, params }, new Map(), nowMs);
}

function chooseValue(report: Report, param: Param, given: GivenValues, nowMs: number): ParamValue {
  const text = given.get(param.name) ?? param.defaultText;
  if (text === null || text === undefined) return { type: param.type, value: null };
  try {
    const value = readValue(param.type, text, nowMs);
    refuseOutside(report, param.name, value);
    return value;
  } catch (error) {
    throw new UsageError(`parameter ${param.name}: ${getMessage(error)}`);
  }
}

function refuseEmptyRange(name: string, values: Question["values"]): void {
  const fault = checkRange(values);
  if (fault !== undefined) throw new UsageError(`report ${name}: ${fault}`);
}

/** Describes an empty range; undefined for any other one. */
export function checkRange(values: Question["values"]): string | undefined {
  const { since, until } = values;
  const [start, end] = [since && readMoment(since), until && readMoment(until)];
  if (start === undefined || end === undefined || start < end) return undefined;
  const what = start > end ? "ends before it starts" : "is an empty range";
  return `${describeRange(values)} ${what}; since must be before until`;
}

/** The range of a question, `since … until …`; empty where the report has none. */
export function describeRange({ since, until }: Question["values"]): string {
  return Object.entries({ since, until })
    .filter((entry): entry is [string, ParamValue] => (entry[1]?.value ?? null) !== null)
    .map(([name, value]) => `${name} ${formatValue(value)}`)
    .join(" ");
}

/** The same as a line to print; none where the report has no range. */
export function formatRange(values: Question["values"]): string[] {
  return [describeRange(values)].filter((line) => line !== "");
}

/** The names of a parameter that takes several with commas between them. */
export function splitNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}
