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
  /** Keys of the events that make the hit. */
  readonly eventKeys: readonly string[];
  /** JSON array of name, value and limit. */
  readonly measures: string;
  readonly message: string;
  readonly next: string | null;
};

/** Runs a report and gives its rows; a report of the user's own runs confined. */
export type Ask = (detection: Detection, question: Question) => Promise<Rows>;

/** Asks over a connection that is open already, for detections of the package. */
export function askOn(connection: DuckDBConnection, signal?: AbortSignal): Ask {
  return (_, question) => runStatement(connection, bindQuestion(question), signal);
}

/** The hits of a detection within a span of event time. */
export async function findHits(ask: Ask, detection: Detection, span: Interval): Promise<Hit[]> {
  const values = {
    ...detection.parameters,
    since: { type: "timestamp", value: span.startMs },
    until: { type: "timestamp", value: span.endMs },
  } as const;
  const { columns, batches } = await ask(detection, { sql: detection.report.sql, values });
  const read = newRowReader(columns);
  const hits: Hit[] = [];
  for await (const batch of batches)
    for (const row of batch) hits.push(readHit(detection, (name) => read(row, name)));
  return hits;
}

function newRowReader(columns: readonly Column[]): (row: Row, name: string) => string | null {
  const at = new Map(columns.map(({ name }, index) => [name, index]));
  return (row, name) => formatCell(row[at.get(name) ?? -1] ?? null);
}

function formatCell(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}

function readHit(
  { form, known, parameters }: Detection,
  read: (column: string) => string | null,
): Hit {
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
    eventKeys: (read("event_keys") ?? read("event_key") ?? "").split(" ").filter(Boolean),
    measures: JSON.stringify(measures),
    message: fillSentence(form.message, read),
    next: form.next === undefined ? null : fillCommand(form.next, read),
  };
}

/** A sentence with the values of a hit; each is one line without invisible characters, shortened in its middle. */
export function fillSentence(template: string, read: (column: string) => string | null): string {
  return fillTemplate(template, read, (value) => shortenMiddle(escapeControls(value)));
}

function fillTemplate(
  template: string,
  read: (column: string) => string | null,
  form: (value: string) => string,
): string {
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
 * A command with the values of a hit, each quoted for the shell. One that begins with a dash is joined to its option, so
 * that it is not read as an option itself.
 */
export function fillCommand(template: string, read: (column: string) => string | null): string {
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
