import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCommand } from "../../base/command-line.ts";
import { isZone } from "../../../schemas/zone.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { findNearestNames } from "../../base/closest-names.ts";
import { escapeControls, quoteStart } from "../../base/printable.ts";
import { readSql } from "../../base/sql/statements.ts";
import type { Question } from "../../base/sql/question.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { findId } from "../access/find-ids.ts";
import { resolveOn, withPublished } from "../investigate/resolve.ts";
import {
  type Range,
  type SubjectKind,
  subjectKinds,
  UnknownSubject,
} from "../investigate/subject.ts";
import type { Report } from "../../base/report/find.ts";
import { splitNames } from "../../base/report/params.ts";
import { listUnknownLines } from "../report/reach.ts";
import { readMoment } from "../../base/report/values.ts";

export type AskedReport = { readonly report: Report; readonly question: Question };

/**
 * Resolves names of a question: ids in place of names, and the subject of a timeline as `investigate` finds it. A
 * user's own report is run unchanged. Throws UsageError for an unknown time zone or name, since no rows would look like
 * no matches. `print` receives the resolved names and the uncovered times of the range.
 */
export async function resolveQuestion(
  connection: DuckDBConnection,
  { report, question }: AskedReport,
  source: string | undefined,
  print: (line: string) => unknown,
): Promise<Question> {
  if (!report.isBuiltIn) return question;
  await refuseUnknownZone(connection, question);
  const known = await withIds(connection, report, question, source);
  return withSubject(connection, { report, question: known }, print);
}

type ResolvedQuestion = { readonly question: Question; readonly notes: readonly string[] };

/** The same in the published data, which is opened where the question may name anything; the signal interrupts it. */
export async function resolvePublished(
  asked: AskedReport,
  settings: Settings,
  signal: AbortSignal,
): Promise<ResolvedQuestion> {
  const { report, question } = asked;
  const isText = Object.values(question.values).some(({ type }) => type === "text");
  if (!report.isBuiltIn || !(isText || "on" in question.values)) return { question, notes: [] };
  const { source } = settings.flags;
  const notes: string[] = [];
  return withPublished(settings, signal, async (connection) => {
    const resolved = await resolveQuestion(connection, asked, source, (line) => notes.push(line));
    const unknownRights = await listUnknown(connection, { report, question: resolved }, source);
    return { question: resolved, notes: [...notes, ...unknownRights] };
  });
}

/** Builds the question for all columns of one event; throws UsageError for an invalid key. */
export function buildEventQuestion(key: string): Question {
  if (!/^[0-9a-f]{32}$/.test(key))
    throw new UsageError("this is not an event key; expected 32 hexadecimal digits");
  const values = { event_key: { type: "text" as const, value: key } };
  return { sql: readSql("queries/pages/event/event.sql"), values };
}
/**
 * Lists the policies with unknown rights that a report at a moment covers; the report omits their grants. Names in the
 * question are ids.
 */
export async function listUnknown(
  connection: DuckDBConnection,
  { report, question: { values } }: AskedReport,
  source: string | undefined,
): Promise<string[]> {
  const onMs = values["on"] && readMoment(values["on"]);
  if (!report.isBuiltIn || onMs === undefined) return [];
  const [policy, user] = ["policy", "user"].map((name) => values[name]?.value ?? null);
  return listUnknownLines(connection, {
    source: source ?? null,
    policy_id: typeof policy === "string" ? policy : null,
    user_id: typeof user === "string" ? user : null,
    on: toTimestamp(onMs),
  });
}

async function refuseUnknownZone(
  connection: DuckDBConnection,
  { values }: Question,
): Promise<void> {
  const zone = values["timezone"]?.value;
  if (typeof zone !== "string" || zone === "default") return;
  const rows = await queryRows(connection, "queries/timezones/timezones.sql#held", {
    timezone: text,
  });
  const held = rows.map(({ timezone }) => timezone);
  if (held.includes(zone)) return;
  if (!isZone(zone))
    throw new UsageError(
      `${quoteStart(zone)} is not a time zone; expected one such as UTC or Europe/Oslo`,
    );
  throw new UsageError(
    `time zone ${JSON.stringify(zone)} is not in the published data, which has ${held.join(", ")}; add it to timezones in the configuration, then run ${formatCommand("publish")}`,
  );
}

const kinds = ["user", "policy", "database"] as const;

/** Replaces names in a question by ids: reports of rights are run by id, also if a previous name was given. */
export async function withIds(
  connection: DuckDBConnection,
  { family }: Report,
  question: Question,
  source: string | undefined,
): Promise<Question> {
  if (family !== "access") return question;
  const values = { ...question.values };
  for (const kind of kinds) {
    const given = values[kind]?.value;
    if (typeof given !== "string") continue;
    const ids: string[] = [];
    // Of users there may be a list.
    for (const name of kind === "user" ? splitNames(given) : [given])
      ids.push(await findId(connection, kind, name, source));
    values[kind] = { ...values[kind]!, value: ids.join(",") };
  }
  return { ...question, values };
}

type Subject = { readonly kind: SubjectKind; readonly name: string; readonly range: Range };

// Resources and tables are known only within a range: if the name is missing there, a note is printed.
async function withSubject(
  connection: DuckDBConnection,
  { report, question }: AskedReport,
  print: (line: string) => unknown,
): Promise<Question> {
  const kind = timelineKinds.get(report.name);
  const name = kind === undefined ? undefined : question.values[kind]?.value;
  const [sinceMs, untilMs] = [question.values["since"], question.values["until"]].map(
    (at) => at && readMoment(at),
  );
  if (kind === undefined || typeof name !== "string") return question;
  if (sinceMs === undefined || untilMs === undefined) return question;
  if (name.trim() === "")
    throw new UsageError(`parameter ${kind} is empty; expected an id or a name`);
  const range = { sinceMs, untilMs };
  if (kind === "table") {
    await printUnknownTable(connection, name, range, print);
    return question;
  }
  try {
    const value = await findValue(connection, { kind, name, range });
    if (value !== name.trim()) print(escapeControls(`${kind} ${value}`));
    const values = { ...question.values, [kind]: { ...question.values[kind]!, value } };
    return { ...question, values };
  } catch (error) {
    const isOfAllTime = kind === "user" || kind === "address";
    if (isOfAllTime || !(error instanceof UnknownSubject)) throw error;
    print(`${report.name}: ${error.message}`);
    return question;
  }
}

const timelineKinds = new Map<string, SubjectKind | "table">([
  ...subjectKinds.map((kind) => [`${kind}_timeline`, kind] as const),
  ["table_readers", "table"],
]);

// Of users there may be a list. A name may have a comma of its own.
async function findValue(
  connection: DuckDBConnection,
  { kind, name, range }: Subject,
): Promise<string> {
  const find = async (one: string): Promise<string> =>
    (await resolveOn(connection, kind, one, {}, range)).subject.value;
  const names = kind === "user" ? splitNames(name) : [];
  if (names.length < 2) return find(names[0] ?? name);
  try {
    return await find(name);
  } catch (error) {
    if (!(error instanceof UnknownSubject)) throw error;
  }
  const values: string[] = [];
  for (const one of names) values.push(await find(one));
  return values.join(",");
}

async function printUnknownTable(
  connection: DuckDBConnection,
  name: string,
  { sinceMs, untilMs }: Range,
  print: (line: string) => unknown,
): Promise<void> {
  const values = { since_ms: BigInt(sinceMs), until_ms: BigInt(untilMs) };
  const rows = await queryRows(
    connection,
    "queries/investigate/names.sql#tables",
    { name: text },
    values,
  );
  const known = rows.map((row) => row.name);
  if (known.includes(name.toLowerCase())) return;
  const near = findNearestNames(name.toLowerCase(), known).map((each) => JSON.stringify(each));
  const hint = near.length === 0 ? "" : `; similar: ${near.join(", ")}`;
  print(`no query text in the range names a table ${JSON.stringify(name)}${hint}`);
}
