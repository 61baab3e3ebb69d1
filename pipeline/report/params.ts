import { DuckDBDateValue, DuckDBTimestampValue } from "@duckdb/node-api";
import { messageOf, UsageError } from "../errors.ts";
import { cellOf } from "./cells.ts";
import type { Report } from "./find.ts";
import type { Param } from "./header.ts";
import type { Bound, Statement } from "./run.ts";
import { nullValue, readValue } from "./values.ts";

/** Parameter values as texts, by name. */
export type Given = ReadonlyMap<string, string>;

/** Collects `--since`, `--until` and every `--param name=value`; throws UsageError for one given twice. */
export function givenParams(
  flags: { readonly since?: string | undefined; readonly until?: string | undefined },
  pairs: readonly string[],
): Given {
  const given = new Map<string, string>();
  const range = Object.entries({ since: flags.since, until: flags.until });
  const all = [...range.filter(([, text]) => text !== undefined), ...pairs.map(splitPair)];
  for (const [name, text] of all) {
    if (given.has(name!)) throw new UsageError(`parameter ${name} is given twice`);
    given.set(name!, text!);
  }
  return given;
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new UsageError(`--param ${JSON.stringify(pair)}: expected name=value`);
}

/** Throws UsageError for a given parameter that none of the reports has, and lists what exists. */
export function refuseUnknown(given: Given, reports: readonly Report[]): void {
  const known = new Set(reports.flatMap((report) => report.params.map(({ name }) => name)));
  for (const name of given.keys())
    if (!known.has(name))
      throw new UsageError(`unknown parameter ${JSON.stringify(name)}; ${listOf(reports, known)}`);
}

function listOf(reports: readonly Report[], known: ReadonlySet<string>): string {
  const [first, second] = reports;
  if (second) return `the reports take ${[...known].join(", ") || "none"}`;
  const texts = first!.params.map(describeParam);
  return `${first!.name} takes ${texts.join(", ") || "no parameters"}`;
}

/** A parameter as the listings show it: `since timestamp = 7d`. */
export function describeParam({ name, type, defaultText }: Param): string {
  return defaultText === undefined ? `${name} ${type}` : `${name} ${type} = ${defaultText}`;
}

/** The parameters that a report needs and that were not given. */
export function missingParams(report: Report, given: Given): Param[] {
  return report.params.filter(
    ({ name, defaultText }) => defaultText === undefined && !given.has(name),
  );
}

/**
 * The statement of a report with typed values: as given, else the defaults. Throws UsageError for a
 * bad or missing value and for an empty range; the range is half-open, [since, until).
 */
export function statementOf(report: Report, given: Given, nowMs: number): Statement {
  const [missing] = missingParams(report, given);
  if (missing)
    throw new UsageError(
      `report ${report.name} needs --param ${missing.name}=…; ${listOf([report], new Set())}`,
    );
  const values = Object.fromEntries(
    report.params.map((param) => [param.name, valueOf(param, given, nowMs)]),
  );
  refuseEmptyRange(report.name, values);
  return { sql: report.sql, values };
}

function valueOf(param: Param, given: Given, nowMs: number): Bound {
  const text = given.get(param.name) ?? param.defaultText;
  if (text === null || text === undefined) return nullValue(param.type);
  try {
    return readValue(param.type, text, nowMs);
  } catch (error) {
    throw new UsageError(`parameter ${param.name}: ${messageOf(error)}`);
  }
}

function refuseEmptyRange(name: string, { since, until }: Statement["values"]): void {
  const [start, end] = [ordinal(since), ordinal(until)];
  if (start === undefined || end === undefined || start < end) return;
  throw new UsageError(
    `report ${name}: ${describeRange({ since: since!, until: until! })} is an empty range; since must be before until`,
  );
}

function ordinal(bound: Bound | undefined): bigint | undefined {
  if (bound?.value instanceof DuckDBTimestampValue) return bound.value.micros;
  if (bound?.value instanceof DuckDBDateValue) return BigInt(bound.value.days) * 86_400_000_000n;
  return undefined;
}

/** The settled range of a statement, `since … until …`; empty where the report has none. */
export function describeRange({ since, until }: Statement["values"]): string {
  return Object.entries({ since, until })
    .filter((entry): entry is [string, Bound] => (entry[1]?.value ?? null) !== null)
    .map(([name, bound]) => `${name} ${cellOf(bound.value, bound.type)}`)
    .join(" ");
}
