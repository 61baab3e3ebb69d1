import { severities } from "../../../schemas/detections.ts";
import { parseDuration } from "../../../schemas/duration.ts";

export type Severity = (typeof severities)[number];

const subjectKinds = [
  "user",
  "address",
  "policy",
  "event",
  "host",
  "image",
  "workflow",
  "source",
] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** A number of a hit and the parameter that is its limit: `denials >= $denials`. */
export type Measure = { readonly column: string; readonly limit: string };

/** What the header of a report declares that makes it a detection. */
export type DetectionForm = {
  readonly severity: Severity;
  /** Technique ids of ATT&CK. */
  readonly attack: readonly string[];
  /** Columns that identify the subject of a hit; the source is always the first. */
  readonly key: readonly string[];
  /** Kind of the subject, and the column that shows it. */
  readonly subject: { readonly kind: SubjectKind; readonly column: string };
  /** Column with the time of a hit. */
  readonly at: string;
  /** A hit that follows the previous one of its key within this joins its finding; 0: each hit is a finding. */
  readonly groupMs: number;
  /** How far a late event changes hits after its own time. */
  readonly reachMs: number | "all";
  readonly measures: readonly Measure[];
  /** Column with the start of the time whose events a hit counts. */
  readonly window: string | undefined;
  /** Part of the statement with the events of each hit: columns `hit_key` and `event_key`. */
  readonly evidence: string | undefined;
  /** When it fires, as a sentence with `{parameter}`, `{parameter:bytes}` or `{parameter:hours}` for its limits. */
  readonly condition: string | undefined;
  /** Sentence with `{column}`, `{column:bytes}`, `{column:time}` or `{column:count NOUN}` for values of the hit. */
  readonly message: string;
  /** Command with `{column}` or `{column:date}` for values of the hit. */
  readonly next: string | undefined;
  readonly runbook: string | undefined;
};

/** Header keys of a detection, beside those of a report. */
export const detectionKeys = [
  "detection",
  "attack",
  "key",
  "subject",
  "at",
  "group",
  "reach",
  "measure",
  "window",
  "evidence",
  "condition",
  "message",
  "next",
  "runbook",
];

/** A line of a header. */
export type Entry = { readonly key: string; readonly text: string; readonly line: number };

const column = /^[a-z_][a-z0-9_]*$/i;
const dayMs = 86_400_000;

/**
 * Reads the lines of a detection from a header; undefined if the report is no detection. Calls `fail`, which throws, for a
 * line that is not of the form, and for a parameter or a column that the report does not have.
 */
export function parseDetection(
  lines: readonly Entry[],
  params: readonly string[],
  hasColumn: (name: string) => boolean,
  fail: (line: number, message: string) => never,
): DetectionForm | undefined {
  const own = lines.filter(({ key }) => detectionKeys.includes(key));
  const first = findEntry(own, "detection");
  if (first === undefined) {
    const [stray] = own;
    if (stray !== undefined) fail(stray.line, `"${stray.key}" needs a line "-- detection: …"`);
    return undefined;
  }
  for (const key of ["key", "subject", "at", "message"])
    if (!findEntry(own, key)?.text) fail(first.line, `a detection needs a line "-- ${key}: …"`);
  for (const name of ["since", "until"])
    if (!params.includes(name)) fail(first.line, `a detection needs the parameter ${name}`);
  const form = readForm(own, first, fail);
  const { subject, at, key, measures, window = at, evidence = at } = form;
  const named = [subject.column, at, ...key, ...measures.map((m) => m.column), window, evidence];
  for (const name of [
    ...named,
    ...listPlaceholders(form.message),
    ...listPlaceholders(form.next ?? ""),
  ])
    if (!hasColumn(name)) fail(first.line, `the statement does not return the column ${name}`);
  for (const { limit } of form.measures)
    if (!params.includes(limit))
      fail(first.line, `the measure's limit ${limit} is not a parameter`);
  for (const name of listPlaceholders(form.condition ?? ""))
    if (!params.includes(name))
      fail(first.line, `the condition's limit ${name} is not a parameter`);
  return form;
}

function readForm(
  own: readonly Entry[],
  first: Entry,
  fail: (line: number, message: string) => never,
): DetectionForm {
  const read = <T>(key: string, expected: string, parse: (text: string) => T | undefined): T => {
    const line = findEntry(own, key);
    const value = parse(line?.text ?? "");
    if (value === undefined)
      fail((line ?? first).line, `${key} "${line?.text ?? ""}" is invalid; expected ${expected}`);
    return value;
  };
  return {
    severity: read("detection", severities.join(", "), (text) =>
      severities.find((each) => each === text),
    ),
    attack: read("attack", "technique ids such as T1078.004", (text) =>
      splitList(text, /^T\d{4}(?:\.\d{3})?$/),
    ),
    key: read("key", "columns such as source, user_id", parseKey),
    subject: read("subject", `KIND COLUMN with a kind of ${subjectKinds.join(", ")}`, parseSubject),
    at: read("at", "a column", (text) => (column.test(text) ? text : undefined)),
    groupMs: read("group", "a duration such as 1d, or 0", (text) =>
      parseDetectionDuration(text || "1d"),
    ),
    reachMs: read("reach", 'a duration such as 1h, 0 or "all"', (text) =>
      text === "all" ? ("all" as const) : parseDetectionDuration(text || "0"),
    ),
    measures: own.filter(({ key }) => key === "measure").map((line) => parseMeasure(line, fail)),
    window: findEntry(own, "window")?.text,
    evidence: findEntry(own, "evidence")?.text,
    condition: findEntry(own, "condition")?.text,
    message: findEntry(own, "message")!.text,
    next: findEntry(own, "next")?.text,
    runbook: findEntry(own, "runbook")?.text,
  };
}

export function findEntry(lines: readonly Entry[], key: string): Entry | undefined {
  return lines.find((line) => line.key === key);
}

function splitList(text: string, each: RegExp): string[] | undefined {
  const parts = text === "" ? [] : text.split(",").map((part) => part.trim());
  return parts.every((part) => each.test(part)) ? parts : undefined;
}

function parseKey(text: string): string[] | undefined {
  const columns = splitList(text, column);
  return columns?.[0] === "source" ? columns : undefined;
}

function parseSubject(text: string): DetectionForm["subject"] | undefined {
  const [kindText, shown = "", ...more] = text.split(/\s+/);
  const kind = subjectKinds.find((each) => each === kindText);
  if (kind === undefined || !column.test(shown) || more.length > 0) return undefined;
  return { kind, column: shown };
}

function parseDetectionDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const ms = parseDuration(text);
  return ms === undefined || ms > 3660 * dayMs ? undefined : ms;
}

function parseMeasure(
  { text, line }: Entry,
  fail: (line: number, message: string) => never,
): Measure {
  const [, name, limit] = /^([a-z_]\w*) >= \$([a-z_]\w*)$/i.exec(text) ?? [];
  if (name === undefined || limit === undefined)
    fail(line, `measure "${text}" is invalid; expected "column >= $parameter"`);
  return { column: name, limit };
}

/** The columns that a sentence or a command has values of. */
export function listPlaceholders(template: string): string[] {
  return [...template.matchAll(/\{(\w+)(?::(?:date|time|bytes|hours|count \w+))?\}/g)].map(
    ([, name]) => name!,
  );
}
