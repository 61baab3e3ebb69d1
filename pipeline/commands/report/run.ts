import { AuditlakeError, exitCode, messageOf } from "../../errors.ts";
import type { Engine } from "../../report/engine.ts";
import { runJob } from "../../report/job.ts";
import { describeRange } from "../../report/params.ts";
import type { Job, Plan, RunFlags } from "../../report/plan.ts";
import { printableLines } from "../../printable.ts";
import { streamSink } from "../../report/sink.ts";
import { createFolder } from "../../report/write.ts";
import { sayOnInterrupt } from "../../run/interrupt.ts";
import { openEngine } from "../../run/reports/engine.ts";
import type { Settings } from "../../settings.ts";
import type { World } from "../../world.ts";
import { rowLimitOf, rowsText, sayTo, stdoutOptions } from "../output.ts";

/** The flags that say how the results of a plan are written. */
type WriteFlags = Pick<RunFlags, "raw" | "limit">;

/** Runs the reports of a plan and tells what came of each; sets the exit code where some of them failed. */
export async function runPlan(
  plan: Plan,
  flags: WriteFlags,
  settings: Settings,
  world: World,
): Promise<void> {
  const say = sayTo(world, settings.flags.quiet === true);
  for (const { report: left, missing } of plan.skipped)
    say(
      `${left.name}: skipped, needs --param ${missing.map((name) => `${name}=…`).join(" --param ")}`,
    );
  using _said =
    plan.folder === undefined
      ? undefined
      : sayOnInterrupt(
          world,
          "interrupted: the report that is being written is finished first; once more ends at once",
        );
  if (plan.folder !== undefined) await createFolder(plan.folder);
  const reports = plan.jobs.map((job) => job.report);
  await using engine = await openEngine(reports, settings, world);
  const failed = await runJobs(plan, flags, say, world, engine);
  const newest = engine.dataUpTo();
  if (newest !== undefined) say(`data up to ${newest}`);
  if (failed > 0)
    process.exitCode = failed === plan.jobs.length ? exitCode.failed : exitCode.partial;
}

/**
 * Runs the jobs one after the other; one that fails among several does not stop the rest. An interrupt ends the
 * report under way, but where files are written to a folder that one is finished first.
 */
async function runJobs(
  { jobs, folder }: Plan,
  flags: WriteFlags,
  say: (line: string) => void,
  world: World,
  engine: Engine,
): Promise<number> {
  let failed = 0;
  let lastRange = "";
  const signal = folder === undefined ? world.signal : new AbortController().signal;
  for (const [i, job] of jobs.entries()) {
    if (world.signal.aborted)
      throw new AuditlakeError(
        `interrupted: ${i} of ${jobs.length} reports written`,
        exitCode.interrupted,
      );
    const range = describeRange(job.question.values);
    if (range !== "" && range !== lastRange) say(range);
    lastRange = range;
    try {
      await runAndTell(job, jobs.length > 1, flags, say, world, engine, signal);
    } catch (error) {
      if (jobs.length === 1 || signal.aborted) throw error;
      if (!(error instanceof AuditlakeError)) throw error;
      world.stderr.write(`error: ${printableLines(messageOf(error))}\n`);
      failed++;
    }
  }
  return failed;
}

async function runAndTell(
  job: Job,
  isOneOfSeveral: boolean,
  { raw, limit }: WriteFlags,
  say: (line: string) => void,
  world: World,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const notes: string[] = [];
  const rows = await runJob(job, {
    engine,
    stdout: streamSink(world.stdout, signal),
    options: { raw, ...stdoutOptions(world, (note) => notes.push(note)) },
    limit: rowLimitOf({ limit, out: job.path }, job.format, world),
    signal,
    titled: isOneOfSeveral,
  });
  const name = isOneOfSeveral || job.path !== undefined ? `${job.report.name}: ` : "";
  for (const note of notes) say((name || "… ") + note);
  say(name + rowsText(rows, limit, job.path));
}
