import { formatSpaced } from "../../base/time/text.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteWord } from "../../base/command-line.ts";
import { formatBytes, formatCount } from "../../base/terminal/amounts.ts";
import { escapeControls, shortenMiddle } from "../../base/printable.ts";
import type { Cell, Column, Row, Rows } from "../../base/rows/row.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import type { Question } from "../../base/sql/question.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Detection } from "./detections.ts";

/** One row of a detection: something that it looks for, at one moment. */
export type Hit = {
  readonly source: string;
  /** JSON object of the key columns in the order of the header; values as text. */
  readonly key: string;
  /** As the database writes it. */
  readonly at: string;
  readonly isKnown: boolean;
  readonly subject: string;
  readonly eventKeys: readonly string[];
  /** Start of the time whose events the hit counts; null where the detection has no window. */
  readonly windowStart: string | null;
  readonly measures: readonly HitMeasure[];
  readonly message: string;
  readonly next: string | null;
};

/** A number of a hit and its limit; the background adds what is usual. */
export type HitMeasure = {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly usual?: number | null;
  readonly others?: number | null;
};

/** Runs a report and gives its rows; a report of the user's own runs confined. */
export type Ask = (detection: Detection, question: Question) => Promise<Rows>;

/** Runs detections of the package over an open connection. */
export function askOn(connection: DuckDBConnection, signal?: AbortSignal): Ask {
  return (_, question) => runStatement(connection, bindQuestion(question), signal);
}

/** The hits of a detection within a span of event time. */
export async function findHits(ask: Ask, detection: Detection, span: Interval): Promise<Hit[]> {
  const { sql } = detection.report;
  return readRows(ask, detection, sql, span, (read) => readHit(detection, read));
}

/**
 * Gives hits the events that the detection names as their evidence: its statement with another final select, over that
 * part. Rows belong to a hit by its event, and by those columns of its key that the part has.
 */
export async function addNamedEvidence(
  ask: Ask,
  detection: Detection,
  hits: readonly Hit[],
): Promise<Hit[]> {
  const { evidence: part, key: keyColumns } = detection.form;
  if (part === undefined) return [...hits];
  const { sql } = detection.report;
  const statement = sql.slice(0, sql.lastIndexOf("\nselect\n")).replaceAll(/^--.*$/gm, "");
  const select = `select * from ${part} where event_key is not null`;
  const rows = await readRows(
    ask,
    detection,
    `${statement}\n${select}`,
    spanHits(hits),
    (read) => ({
      hitKey: read("hit_key"),
      eventKey: read("event_key")!,
      key: keyColumns.map(read),
    }),
  );
  const byHit = Map.groupBy(rows, ({ hitKey }) => hitKey);
  return hits.map((hit) => {
    const ownKey = Object.values(JSON.parse(hit.key) as Readonly<Record<string, string | null>>);
    const isOwn = (key: readonly (string | null)[]): boolean =>
      key.every((value, at) => value === null || value === ownKey[at]);
    const own = (byHit.get(hit.eventKeys[0] ?? "") ?? []).filter(({ key }) => isOwn(key));
    const eventKeys = [...new Set(own.map(({ eventKey }) => eventKey))].toSorted();
    return eventKeys.length === 0 ? hit : { ...hit, eventKeys };
  });
}

/** The time from the first to the last of some hits. */
export function spanHits(hits: readonly Hit[]): Interval {
  const times = hits.map(({ at }) => Date.parse(at));
  return {
    startMs: times.reduce((least, ms) => Math.min(least, ms)),
    endMs: times.reduce((most, ms) => Math.max(most, ms)) + 1,
  };
}

type ReadColumn = (column: string) => string | null;

async function readRows<T>(
  ask: Ask,
  detection: Detection,
  sql: string,
  { startMs, endMs }: Interval,
  readOne: (read: ReadColumn) => T,
): Promise<T[]> {
  const values = {
    ...detection.parameters,
    since: { type: "timestamp", value: startMs },
    until: { type: "timestamp", value: endMs },
  } as const;
  // The evidence of a detection need not use its limits.
  const used = Object.entries(values).filter(([name]) => new RegExp(`\\$${name}\\b`).test(sql));
  const { columns, batches } = await ask(detection, { sql, values: Object.fromEntries(used) });
  const read = newRowReader(columns);
  const rows: T[] = [];
  for await (const batch of batches)
    for (const row of batch) rows.push(readOne((name) => read(row, name)));
  return rows;
}

function newRowReader(columns: readonly Column[]): (row: Row, name: string) => string | null {
  const at = new Map(columns.map(({ name }, index) => [name, index]));
  return (row, name) => formatCell(row[at.get(name) ?? -1] ?? null);
}

function formatCell(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}

function readHit({ form, known, parameters }: Detection, read: ReadColumn): Hit {
  const key = Object.fromEntries(form.key.map((column) => [column, read(column)]));
  const measures = form.measures.map(({ column, limit }) => ({
    name: column,
    value: Number(read(column)),
    limit: Number(parameters[limit]?.value),
  }));
  const at = read(form.at);
  if (at === null) throw new Error(`a hit has no ${form.at}`);
  return {
    source: key["source"] ?? "",
    key: JSON.stringify(key),
    at,
    isKnown: known.some((entry) =>
      Object.entries(entry).every(([column, value]) => key[column] === value),
    ),
    subject: read(form.subject.column) ?? "unknown",
    eventKeys: (read("event_key") ?? "").split(" ").filter(Boolean),
    windowStart: form.window === undefined ? null : read(form.window),
    measures,
    message: fillSentence(form.message, read),
    next: form.next === undefined ? null : fillCommand(form.next, read),
  };
}

/** A sentence with the values of a hit; each is one line without invisible characters, shortened in its middle. */
export function fillSentence(template: string, read: ReadColumn): string {
  return fillTemplate(template, read, (value) => shortenMiddle(escapeControls(value)));
}

function fillTemplate(template: string, read: ReadColumn, form: (value: string) => string): string {
  return template.replaceAll(placeholder, (_, name: string, as?: string) => {
    const value = read(name);
    return form(value === null ? "unknown" : formatAs(value, as));
  });
}

const placeholder = /\{(\w+)(?::(date|time|bytes|count \w+))?\}/g;

function formatAs(value: string, as: string | undefined): string {
  if (as === undefined) return value;
  if (as === "date") return value.split(/[ T]/)[0] ?? value;
  if (as === "time") return formatSpaced(value).slice(0, "2026-01-31 12:34".length);
  if (as === "bytes") return formatBytes(Number(value));
  return formatCount(Number(value), as.slice("count ".length));
}

/**
 * Fills a command with the values of a hit, quoted for the shell. A value with a leading dash is joined to its option,
 * so that the shell command does not read it as an option.
 */
export function fillCommand(template: string, read: ReadColumn): string {
  const words: string[] = [];
  const dashed: string[] = [];
  for (const word of template.split(/ +/)) {
    const filled = fillTemplate(word, read, (value) => value);
    const last = words.at(-1);
    if (word === filled || !filled.startsWith("-")) words.push(filled);
    else if (last !== undefined && last.startsWith("--")) words.push(`${words.pop()}=${filled}`);
    else dashed.push(filled);
  }
  // Arguments behind "--" are never read as options.
  return [...words, ...(dashed.length === 0 ? [] : ["--"]), ...dashed]
    .map((word) => (escapeControls(word) === word ? quoteWord(word) : formatAnsiWord(word)))
    .join(" ");
}

// A word with a line break, a bidi or another character that a terminal obeys or hides, as bash reads it: by its bytes,
// since a code point means another in another locale.
function formatAnsiWord(word: string): string {
  const escaped = [...word].map((character) => {
    if (escapeControls(character) !== character)
      return [...Buffer.from(character)]
        .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
        .join("");
    return /['\\]/.test(character) ? `\\${character}` : character;
  });
  return `$'${escaped.join("")}'`;
}
