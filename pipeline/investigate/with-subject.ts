import { UsageError } from "../errors.ts";
import type { Settings } from "../home/settings.ts";
import { nearestNames } from "../closest-names.ts";
import type { Job } from "../report/plan-run.ts";
import { interruptFrom } from "../sql/interrupt.ts";
import { momentOf } from "../report/values.ts";
import { queryFile, type Values } from "../sql/statements.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import { printable } from "../printable.ts";
import type { Range } from "./subject-names.ts";
import { resolveOn } from "./resolve.ts";
import { type SubjectKind, subjectKinds, UnknownSubject } from "./subject.ts";

/** What a report is about, by the name of its parameter. */
type About = { readonly kind: SubjectKind | "table"; readonly text: string; readonly range: Range };

/**
 * The job with the subject that its text names, found as `investigate` finds it; as it is where it is about none.
 * Throws UsageError for a user or address that nobody goes by, and for a text that fits several. What only a range
 * knows, such as a resource or a table, may be missing there: that is told.
 */
export async function withSubject(
  job: Job,
  { home, config, flags: { source } }: Settings,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<Job> {
  const about = aboutOf(job);
  if (about === undefined) return job;
  await using database = await openPublished(home.published, readLimits(config), source);
  const { connection } = database;
  const stopListening = interruptFrom(connection, signal);
  try {
    const { kind, text, range } = about;
    if (kind === "table") {
      const rows = await queryFile(connection, "queries/investigate/tables.sql", valuesOf(range));
      printUnknown(
        text,
        rows.map(({ name }) => String(name)),
        print,
      );
      return job;
    }
    const { subject } = await resolveOn(connection, kind, text, noFlags, range);
    if (subject.value !== text.trim()) print(printable(`${kind} ${subject.value}`));
    return asking(job, kind, subject.value);
  } catch (error) {
    const isOfAllTime = about.kind === "user" || about.kind === "address";
    if (isOfAllTime || !(error instanceof UnknownSubject)) throw error;
    print(`${job.report.name}: ${error.message}`);
    return job;
  } finally {
    stopListening();
  }
}

const noFlags = {};
const reports = new Map<string, SubjectKind | "table">([
  ...subjectKinds.map((kind) => [`${kind}_timeline`, kind] as const),
  ["table_readers", "table"],
]);

function aboutOf({ report, question: { values } }: Job): About | undefined {
  const kind = report.isBuiltIn ? reports.get(report.name) : undefined;
  if (kind === undefined) return undefined;
  const text = values[kind]?.value;
  const [sinceMs, untilMs] = [values["since"], values["until"]].map((at) => at && momentOf(at));
  if (typeof text !== "string" || sinceMs === undefined || untilMs === undefined) return undefined;
  if (text.trim() === "")
    throw new UsageError(`parameter ${kind} is empty; expected what it goes by`);
  return { kind, text, range: { sinceMs, untilMs } };
}

function asking(job: Job, kind: SubjectKind, value: string): Job {
  const { question } = job;
  const values = { ...question.values, [kind]: { ...question.values[kind]!, value } };
  return { ...job, question: { ...question, values } };
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
