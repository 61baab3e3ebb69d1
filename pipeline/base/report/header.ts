import { listChartColumns, type ChartForm, parseChart } from "./chart-form.ts";
import {
  type DetectionForm,
  detectionKeys,
  type Entry,
  findEntry,
  parseDetection,
} from "./detection.ts";
import { getMessage, UsageError } from "../errors.ts";
import { paramTypes, type ParamType } from "../sql/question.ts";
import { readValue } from "./values.ts";

/** A parameter of a report. `required`, or without a default, it has to be given; the default null makes it optional. */
export type Param = {
  readonly name: string;
  readonly type: ParamType;
  readonly defaultText: string | null | undefined;
};

export type Header = {
  readonly title: string;
  readonly question?: string | undefined;
  readonly family: string | undefined;
  readonly grain: string;
  readonly params: readonly Param[];
  readonly chart: ChartForm | undefined;
  /** `range`: events outside the range, and before it the reach of a detection, do not change the rows. */
  readonly scope?: "range" | undefined;
  /** The settings of a detection; undefined for other reports. */
  readonly detection?: DetectionForm | undefined;
  /** Number of lines that the header takes; the statement starts below. */
  readonly lines: number;
};

const keys = ["title", "question", "family", "grain", "param", "chart", "scope", ...detectionKeys];
const repeatable = ["param", "measure"];
const identifier = /^[a-z][a-z0-9_]*$/;

/**
 * Reads the header of a report: `-- key: text` lines at the top of the file; other comment lines are
 * prose. Throws UsageError naming file and line.
 */
export function parseHeader(text: string, file: string): Header {
  const lines = readHeaderLines(text);
  const entries = lines.flatMap((line, index) => parseEntry(line, index + 1));
  const unknown = entries.find(({ key }) => !keys.includes(key));
  if (unknown)
    failAt(file, unknown.line, `unknown key "${unknown.key}"; expected ${keys.join(", ")}`);
  const twice = entries.find(
    ({ key }, at) =>
      !repeatable.includes(key) && entries.findIndex((each) => each.key === key) < at,
  );
  if (twice) failAt(file, twice.line, `"${twice.key}" is given twice`);
  const statement = readStatementBelow(text, lines.length);
  const params = readParams(entries, file);
  const names = params.map(({ name }) => name);
  const detection = parseDetection(
    entries,
    names,
    (name) => isNamed(name, statement),
    (line, message) => failAt(file, line, message),
  );
  const title = findEntry(entries, "title");
  const grain = findEntry(entries, "grain");
  for (const [key, entry] of Object.entries({ title, grain }))
    if (!entry?.text) failAt(file, entry?.line ?? 1, `the header has no "-- ${key}: …"`);
  return {
    title: title!.text,
    question: findEntry(entries, "question")?.text,
    grain: grain!.text,
    family: readFamily(findEntry(entries, "family"), file),
    params,
    chart: readChart(findEntry(entries, "chart"), statement, file),
    scope: readScope(findEntry(entries, "scope"), names, detection, file),
    detection,
    lines: lines.length,
  };
}

export function hasHeader(text: string): boolean {
  return readHeaderLines(text).some((line, index) =>
    parseEntry(line, index + 1).some(({ key }) => keys.includes(key)),
  );
}

function readHeaderLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith("--"));
  return end < 0 ? lines : lines.slice(0, end);
}

// Comments do not count as uses of a column.
function readStatementBelow(text: string, lines: number): string {
  const below = text.split(/\r?\n/).slice(lines).join("\n");
  return below.replaceAll(/--.*$/gm, "").replaceAll(/count\s*\(\s*\*\s*\)/gi, "");
}

function parseEntry(line: string, number: number): Entry[] {
  const [, key, text] = /^--\s*([a-z]+):(?:\s+(.*))?$/.exec(line) ?? [];
  return key === undefined ? [] : [{ key, text: (text ?? "").trim(), line: number }];
}

function readFamily(entry: Entry | undefined, file: string): string | undefined {
  if (entry && !identifier.test(entry.text))
    failAt(
      file,
      entry.line,
      `family "${entry.text}" is not a valid name; expected lower case, such as denials`,
    );
  return entry?.text;
}

function readChart(
  entry: Entry | undefined,
  statement: string,
  file: string,
): ChartForm | undefined {
  if (!entry) return undefined;
  const chart = parseChart(entry.text);
  if (typeof chart === "string") failAt(file, entry.line, chart);
  const unknown = listChartColumns(chart).find((name) => !isNamed(name, statement));
  if (unknown !== undefined)
    failAt(
      file,
      entry.line,
      `the chart needs a column ${unknown}, which the statement does not return`,
    );
  return chart;
}

function readScope(
  entry: Entry | undefined,
  params: readonly string[],
  detection: DetectionForm | undefined,
  file: string,
): "range" | undefined {
  if (!entry) return undefined;
  if (entry.text !== "range")
    failAt(file, entry.line, `scope "${entry.text}" is invalid; expected range`);
  if (!params.includes("since") || !params.includes("until"))
    failAt(file, entry.line, "the scope range needs the parameters since and until");
  if (detection?.reachMs === "all")
    failAt(file, entry.line, "the scope is range, but the reach is all; expected a duration");
  return "range";
}

/** Whether a statement names a column; a star may be any. */
export function namesColumn(sql: string, column: string): boolean {
  return isNamed(column, readStatementBelow(sql, 0));
}

// A star can include any column; running the report shows which ones.
function isNamed(column: string, statement: string): boolean {
  return /\*/.test(statement) || new RegExp(`\\b${column}\\b`, "i").test(statement);
}

function readParams(entries: readonly Entry[], file: string): Param[] {
  const params: Param[] = [];
  for (const entry of entries.filter(({ key }) => key === "param")) {
    const param = parseParam(entry, file);
    if (params.some(({ name }) => name === param.name))
      failAt(file, entry.line, `parameter ${param.name} is declared twice`);
    params.push(param);
  }
  return params;
}

function parseParam({ text, line }: Entry, file: string): Param {
  const [, name, type, given] = /^(\S+)\s+(\S+?)(?:\s+required|\s*=\s*(.*))?$/.exec(text) ?? [];
  if (name === undefined || !identifier.test(name))
    failAt(
      file,
      line,
      `expected "-- param: name type = default" or "-- param: name type required", got "${text}"`,
    );
  const known = paramTypes.find((each) => each === type);
  if (known === undefined)
    failAt(
      file,
      line,
      `parameter ${name}: unknown type "${type}"; expected ${paramTypes.join(", ")}`,
    );
  const defaultText = given === "null" ? null : given;
  if (typeof defaultText === "string")
    checkDefault(known, defaultText, `parameter ${name}`, file, line);
  return { name, type: known, defaultText };
}

function checkDefault(type: ParamType, text: string, what: string, file: string, line: number) {
  try {
    readValue(type, text, 0);
  } catch (error) {
    failAt(file, line, `${what}: default ${getMessage(error)}`);
  }
}

function failAt(file: string, line: number, message: string): never {
  throw new UsageError(`${file}:${line}: ${message}`);
}
