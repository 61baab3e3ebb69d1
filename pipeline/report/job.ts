import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import { renderRows } from "./formats.ts";
import type { Job } from "./plan.ts";
import { printable } from "./printable.ts";
import { copyToParquet } from "./render/parquet.ts";
import type { RenderOptions } from "./result.ts";
import { runStatement } from "./run.ts";
import type { Sink } from "./sink.ts";
import { replaceFile } from "./write.ts";

export type JobContext = {
  readonly connection: DuckDBConnection;
  /** Standard output, for jobs without a path. */
  readonly stdout: Sink;
  readonly options: RenderOptions;
  readonly signal: AbortSignal;
  /** Several reports share standard output: each gets its title in front. */
  readonly titled: boolean;
};

// Nobody's terminal bounds a table in a file.
const columnsInFile = 200;

/** Runs one report to its file or to standard output; resolves to the number of rows. */
export async function runJob(job: Job, context: JobContext): Promise<number> {
  try {
    return await (job.path === undefined ? toStdout(job, context) : toFile(job, job.path, context));
  } catch (error) {
    const code = error instanceof AuditlakeError ? error.exitCode : exitCode.failed;
    throw new AuditlakeError(`report ${job.report.name}: ${messageOf(error)}`, code);
  }
}

async function toStdout(job: Job, { connection, stdout, ...context }: JobContext): Promise<number> {
  if (job.format === "parquet") throw new AuditlakeError("parquet needs a file");
  const result = await runStatement(connection, job.statement, context.signal);
  const title = printable(job.report.title);
  if (context.titled) await stdout(job.format === "markdown" ? `## ${title}\n\n` : `${title}\n`);
  const rows = await renderRows(job.format, result, stdout, context.options);
  if (context.titled) await stdout("\n");
  return rows;
}

async function toFile(job: Job, path: string, context: JobContext): Promise<number> {
  const { connection, signal } = context;
  return replaceFile(path, async (draft) => {
    if (job.format === "parquet")
      return copyToParquet(connection, job.statement, draft.path, signal);
    const result = await runStatement(connection, job.statement, signal);
    return renderRows(job.format, result, draft.sink, {
      ...context.options,
      columns: columnsInFile,
    });
  });
}
