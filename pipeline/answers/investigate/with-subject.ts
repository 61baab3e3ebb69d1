import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { nearestNames } from "../../base/closest-names.ts";
import type { Job } from "../report/plan-run.ts";
import type { Question } from "../../base/sql/question.ts";
import { interruptFrom } from "../../base/sql/interrupt.ts";
import { listedNames } from "../report/listed-names.ts";
import { momentOf } from "../report/values.ts";
import { queryFile, type Values } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { printable } from "../../base/printable.ts";
import type { Range } from "./subject-names.ts";
import { resolveOn } from "./resolve.ts";
import { type SubjectKind, subjectKinds, UnknownSubject } from "./subject.ts";

/** A report, and what it is asked with. */
type Asked = Pick<Job, "report" | "question">;

/** What a report is about, by the name of its parameter. */
type About = { readonly kind: SubjectKind | "table"; readonly text: string; readonly range: Range };
type Subject = About & { readonly kind: SubjectKind };

/**
 * The job with the subject that its text names, as `aboutSubject` finds it in the published data. The signal interrupts
 * it.
 */
export async function withSubject(
  job: Job,
  { home, config, flags: { source } }: Settings,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<Job> {
  if (aboutOf(job) === undefined) return job;
  await using database = await openPublished(home.published, readLimits(config), source);
  const { connection } = database;
  const stopListening = interruptFrom(connection, signal);
  try {
    return { ...job, question: await aboutSubject(connection, job, print) };
  } finally {
    stopListening();
  }
}

/**
 * The question with the subject that its text names, found as `investigate` finds it; as it is where it is about none.
 * Throws UsageError for a user or address that nobody goes by, and for a text that fits several. What only a range
 * knows, such as a resource or a table, may be missing there: that is told.
 */
export async function aboutSubject(
  connection: DuckDBConnection,
  asked: Asked,
  print: (line: string) => void,
): Promise<Question> {
  const { report, question } = asked;
  const about = aboutOf(asked);
  if (about === undefined) return question;
  const { kind, text, range } = about;
  if (kind === "table") {
    const rows = await queryFile(connection, "queries/investigate/tables.sql", valuesOf(range));
    const names = rows.map(({ name }) => String(name));
    printUnknown(text, names, print);
    return question;
  }
  try {
    const value = await valueOf(connection, { kind, text, range });
    if (value !== text.trim()) print(printable(`${kind} ${value}`));
    return asking(question, kind, value);
  } catch (error) {
    const isOfAllTime = kind === "user" || kind === "address";
    if (isOfAllTime || !(error instanceof UnknownSubject)) throw error;
    print(`${report.name}: ${error.message}`);
    return question;
  }
}

// Of users there may be a list. A name may have a comma of its own.
async function valueOf(
  connection: DuckDBConnection,
  { kind, text, range }: Subject,
): Promise<string> {
  const of = async (one: string): Promise<string> =>
    (await resolveOn(connection, kind, one, noFlags, range)).subject.value;
  const names = kind === "user" ? listedNames(text) : [];
  if (names.length < 2) return of(names[0] ?? text);
  try {
    return await of(text);
  } catch (error) {
    if (!(error instanceof UnknownSubject)) throw error;
  }
  const values: string[] = [];
  for (const name of names) values.push(await of(name));
  return values.join(",");
}

const noFlags = {};
const reports = new Map<string, SubjectKind | "table">([
  ...subjectKinds.map((kind) => [`${kind}_timeline`, kind] as const),
  ["table_readers", "table"],
]);

function aboutOf({ report, question: { values } }: Asked): About | undefined {
  const kind = report.isBuiltIn ? reports.get(report.name) : undefined;
  if (kind === undefined) return undefined;
  const text = values[kind]?.value;
  const [sinceMs, untilMs] = [values["since"], values["until"]].map((at) => at && momentOf(at));
  if (typeof text !== "string" || sinceMs === undefined || untilMs === undefined) return undefined;
  if (text.trim() === "")
    throw new UsageError(`parameter ${kind} is empty; expected what it goes by`);
  return { kind, text, range: { sinceMs, untilMs } };
}

function asking(question: Question, kind: SubjectKind, value: string): Question {
  const values = { ...question.values, [kind]: { ...question.values[kind]!, value } };
  return { ...question, values };
}

function valuesOf({ sinceMs, untilMs }: Range): Values {
  return { since_ms: BigInt(sinceMs), until_ms: BigInt(untilMs) };
}

function printUnknown(text: string, known: readonly string[], print: (line: string) => void): void {
  if (known.includes(text.toLowerCase())) return;
  const near = nearestNames(text.toLowerCase(), known).map((name) => JSON.stringify(name));
  const hint = near.length === 0 ? "" : `; the nearest: ${near.join(", ")}`;
  print(`no query text of the range names a table ${JSON.stringify(text)}${hint}`);
}
