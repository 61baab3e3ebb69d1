import { AuditlakeError, isBadStatement } from "../../base/errors.ts";
import { describeQueryFailure, type Question } from "../../base/sql/question.ts";
import type { Report } from "../../base/report/find.ts";
import { newRowCount, type Reach, type Row } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import { newSpillFolder, readLimits } from "../../core/store/limits.ts";
import { type Answer, QueryError, queryProcess, runSandboxed } from "../../core/sandbox/query.ts";
import type { MemoryLimits, QueryLimits } from "../../core/sandbox/limits.ts";
import type { Result } from "../../core/sandbox/protocol.ts";
import type { World } from "../../base/world.ts";
import type { ReportEngine } from "../report/engine.ts";

/**
 * Builds an engine for reports of the user's folder: each runs in a separate, confined process like `sql`. Without
 * spilling it has no file system at all, so that the report cannot find the published file by its path.
 */
export function newConfined(
  settings: Settings,
  world: World,
  spills = true,
  memory: Partial<MemoryLimits> = {},
): ReportEngine {
  const answers = new AsyncDisposableStack();
  let reach: Reach | undefined;
  const ask = async (
    report: Report,
    question: Question,
    result: Result,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const answer = await askConfined(report, question, { result, spills, memory }, settings, {
      ...world,
      signal,
    });
    reach = answer.reach;
    return answers.use(answer);
  };
  return {
    rows: async (report, question, signal) => {
      const answer = await ask(report, question, "rows", signal);
      return { columns: answer.columns, batches: readBatches(report, answer) };
    },
    parquet: async (report, question, path, limit, signal) => {
      const answer = await ask(report, question, { parquet: path, limit }, signal);
      return newRowCount(await countRows(report, answer), limit);
    },
    reach: () => reach,
    [Symbol.asyncDispose]: () => answers.disposeAsync(),
  };
}

/**
 * Puts the rows of a report, with their types, into the table `rows` of a new database file. Throws AuditlakeError
 * naming the report's file.
 */
export async function writeTable(
  report: Report,
  question: Question,
  path: string,
  settings: Settings,
  world: World,
): Promise<void> {
  const answer = await askConfined(
    report,
    question,
    { result: { table: path }, spills: true },
    settings,
    world,
  );
  await countRows(report, answer);
}

/** Compiles a report and runs nothing of it; throws AuditlakeError naming the report's file. */
export async function compileConfined(
  report: Report,
  question: Question,
  database: string,
  settings: Settings,
  world: World,
): Promise<void> {
  const answer = await askConfined(
    report,
    question,
    { result: "nothing", spills: false, database },
    settings,
    world,
  );
  await countRows(report, answer);
}

/** What to do with the rows, and the database to ask; the published file where none is given. */
type WantedResult = {
  readonly result: Result;
  readonly spills: boolean;
  readonly database?: string;
  readonly memory?: Partial<MemoryLimits>;
};

async function askConfined(
  report: Report,
  { sql, values }: Question,
  { result, spills, database: given, memory }: WantedResult,
  { home, config, flags }: Settings,
  world: World,
): Promise<Answer> {
  const database = given ?? home.published;
  const spill = spills ? newSpillFolder(database) : undefined;
  const childFile = queryProcess;
  const { source } = flags;
  const task = { database, sql, values, result, isReport: true, source, spill, childFile };
  const limits = {
    timeoutMs: config.report_timeout,
    timeoutName: "report_timeout in the configuration",
    maxRows: Number.MAX_SAFE_INTEGER,
    // Rows go out as they come, so a large result takes no memory.
    maxBytes: undefined,
    ...readLimits(config),
    ...memory,
  };
  try {
    return await runSandboxed(task, limits, world);
  } catch (error) {
    throw describeFailure(report, error);
  }
}

async function* readBatches(report: Report, answer: Answer): AsyncGenerator<readonly Row[]> {
  try {
    yield* answer.batches;
  } catch (error) {
    throw describeFailure(report, error);
  } finally {
    await answer[Symbol.asyncDispose]();
  }
}

async function countRows(report: Report, answer: Answer): Promise<number> {
  for await (const _batch of readBatches(report, answer)) continue;
  return answer.count();
}

// One line that names the file, since the reader of the message may not have written the report.
function describeFailure({ file }: Report, error: unknown): unknown {
  if (!(error instanceof QueryError)) return error;
  const { databaseText, hint, stage } = error;
  const text =
    databaseText === undefined || stage === "open"
      ? error.message.replaceAll(/(?<!\s)\s*\n\s*/g, "; ")
      : [
          describeQueryFailure(new Error(databaseText)).message,
          ...(hint === undefined ? [] : [hint]),
        ].join("; ");
  const isBad = databaseText !== undefined && isBadStatement(new Error(databaseText));
  return new AuditlakeError(`${file}: ${text}`, error.exitCode, { isBadStatement: isBad });
}

/** A user's own statement; a report takes parameters, and for other statements the plan may be requested instead. */
type StatementTask = Question & {
  readonly isReport: boolean;
  readonly result?: "rows" | "plan";
};

/**
 * Runs a statement in a separate process that can read only the published data, with the configured memory. Throws what
 * `runSandboxed` throws.
 */
export function askStatement(
  { sql, values, isReport, result = "rows" }: StatementTask,
  limits: Omit<QueryLimits, "memoryLimit" | "threads"> & Partial<MemoryLimits>,
  { home, config, flags: { source } }: Settings,
  world: World,
): Promise<Answer> {
  const how = { isReport, source, spill: undefined, childFile: queryProcess };
  const task = { database: home.published, sql, values, result, ...how };
  return runSandboxed(task, { ...readLimits(config), ...limits }, world);
}
