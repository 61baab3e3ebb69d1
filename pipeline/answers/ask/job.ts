import { AuditlakeError, exitCode, isBadStatement, getMessage } from "../../base/errors.ts";
import type { Engine } from "../report/engine.ts";
import { renderRows, type RowFormat } from "../report/formats.ts";
import { removeWriterVersion } from "../report/parquet-footer.ts";
import { limitRows, type RowCount, type RowLimit } from "../../base/rows/row.ts";
import type { Job } from "./plan-run.ts";
import { escapeControls } from "../../base/printable.ts";
import { describeAnswer } from "../report/reach.ts";
import { type About, inFile, type RenderOptions, type Sink } from "../report/result.ts";
import { replaceFile } from "../report/write.ts";

export type JobContext = {
  readonly engine: Engine;
  /** Standard output, for jobs without a path. */
  readonly stdout: Sink;
  readonly options: RenderOptions;
  /** Rows to give out of each report at most. */
  readonly limit: RowLimit;
  readonly signal: AbortSignal;
  /** Several reports share standard output: each gets its title in front. */
  readonly titled: boolean;
};

/** Runs one report to its file or to standard output; resolves to the numbers of rows. */
export async function runJob(job: Job, context: JobContext): Promise<RowCount> {
  try {
    return await (job.path === undefined ? toStdout(job, context) : toFile(job, job.path, context));
  } catch (error) {
    const code = error instanceof AuditlakeError ? error.exitCode : exitCode.failed;
    if (code === exitCode.interrupted) throw error;
    const text = `report ${job.report.name}: ${getMessage(error)}`;
    throw new AuditlakeError(text, code, { isBadStatement: isBadStatement(error) });
  }
}

async function toStdout(job: Job, context: JobContext): Promise<RowCount> {
  const { engine, stdout, signal, limit, options } = context;
  if (job.format === "parquet") throw new AuditlakeError("parquet needs a file");
  const result = await engine.rows(job.report, job.question, signal);
  const title = escapeControls(job.report.title);
  if (context.titled) await stdout(job.format === "markdown" ? `## ${title}\n\n` : `${title}\n`);
  const rows = await writeRows(job.format, limitRows(result, limit), stdout, {
    ...options,
    about: describeJob(job, context),
  });
  if (context.titled) await stdout("\n");
  return rows;
}

async function toFile(job: Job, path: string, context: JobContext): Promise<RowCount> {
  const { engine, signal, limit, options } = context;
  return replaceFile(path, async (draft) => {
    if (job.format === "parquet") {
      const rows = await engine.parquet(job.report, job.question, draft.path, limit, signal);
      await removeWriterVersion(draft.path);
      return rows;
    }
    const result = await engine.rows(job.report, job.question, signal);
    return writeRows(job.format, limitRows(result, limit), draft.sink, {
      ...options,
      ...inFile,
      about: describeJob(job, context),
    });
  });
}

function describeJob({ report, question }: Job, { engine }: JobContext): About {
  return describeAnswer(report, question.values, engine.reach());
}

async function writeRows(
  format: RowFormat,
  { result, total }: ReturnType<typeof limitRows>,
  sink: Sink,
  options: RenderOptions,
): Promise<RowCount> {
  const shown = await renderRows(format, result, sink, options);
  return { shown, total: total() };
}
