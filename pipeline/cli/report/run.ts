import { findSignedHead } from "../../core/evidence/head.ts";
import { notify, warning, type FactsOf, faultOf } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, exitCode, type ExitCode } from "../../base/errors.ts";
import type { Engine, ReportEngine } from "../../answers/report/engine.ts";
import { runJob } from "../../answers/ask/job.ts";
import { formatRange } from "../../base/report/params.ts";
import type { Job, Plan, RunFlags } from "../../answers/ask/plan-run.ts";
import { formatJsonDocument, escapeControls } from "../../base/printable.ts";
import { newStreamSink } from "../../answers/report/result.ts";
import { createFolder } from "../../answers/report/write.ts";
import { printOnInterrupt } from "../../base/terminal/confirm.ts";
import { type Origin, provenance, readOrigin, writeMeta } from "../../answers/ask/provenance.ts";
import { openEngine } from "../../answers/ask/engine.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import {
  chooseRowLimit,
  formatRowCount,
  buildStdoutOptions,
  getTextOptions,
} from "../../answers/report/output.ts";
import { parseSeparator } from "../../answers/report/formats.ts";
import { emptyNotice, listReachLines } from "../../answers/report/reach.ts";
import { plainPrinter, type Print } from "../../base/notice/printer.ts";
import { resolve } from "node:path";
import { writeDurably } from "../../base/home/durable.ts";
import type { Cell, Row } from "../../base/rows/row.ts";

/** The flags that say how the results of a plan are written. */
type WriteFlags = Pick<
  RunFlags,
  "raw" | "format" | "limit" | "header" | "separator" | "meta" | "failOnRows" | "summary" | "engine"
>;

/** What the jobs of a plan came to: how many failed, and how many rows the others gave. */
type Outcome = { readonly failed: number; readonly rows: number };

/** Runs the reports of a plan and prints their outcomes; resolves to the exit code. */
export async function runPlan(
  plan: Plan,
  flags: WriteFlags,
  settings: Settings,
  world: World,
): Promise<ExitCode> {
  const print = plainPrinter(world, settings.flags);
  for (const { report: left, missing } of plan.skipped)
    print(
      `${left.name}: skipped, needs --param ${missing.map((name) => `${name}=…`).join(" --param ")}`,
    );
  using _notice =
    plan.folder === undefined
      ? undefined
      : printOnInterrupt(
          world,
          "interrupted: finishing the current report first; interrupt again to stop immediately",
        );
  if (plan.folder !== undefined) await createFolder(plan.folder);
  const reports = plan.jobs.map((job) => job.report);
  const asked = flags.meta ? [...reports, provenance] : reports;
  await using engine =
    flags.engine === undefined
      ? await openEngine(asked, settings, world, print)
      : await openElsewhere(settings, world, print);
  const origin = flags.meta
    ? await readOrigin(engine, settings, describeOptions(flags), world.signal)
    : undefined;
  const { failed, rows } = await runJobs(plan, flags, { engine, origin, print, world });
  const reach = engine.reach();
  const ranges = plan.jobs.map((job) => job.question.values);
  for (const line of listReachLines(reach, ranges)) print(line);
  if (flags.engine !== undefined) print(formatEngineNote());
  if (reach?.isEmpty === true && rows === 0) notify(world, emptyNotice());
  const isFound = flags.failOnRows && rows > 0;
  if (isFound && flags.summary !== undefined) {
    const head = findSignedHead(settings.home.landing);
    await writeFound(flags.summary, plan.jobs, { engine, head }, world.signal);
  }
  if (failed > 0) return failed === plan.jobs.length ? exitCode.failed : exitCode.partial;
  return isFound ? exitCode.findings : exitCode.done;
}

// What differs from the usual, as a description has it.
function describeOptions({ raw, header, separator, limit }: WriteFlags): Origin["options"] {
  return {
    ...(raw && { raw }),
    ...(header === false && { header }),
    ...(separator !== undefined && { separator: parseSeparator(separator) }),
    ...(limit !== undefined && limit !== "all" && { limit }),
  };
}

// Several homes may publish a lake, and each knows what it has read.
const formatEngineNote = (): string =>
  `note: results of an engine do not show unread times of the range; ${formatCommand("status")} in the home that publishes the lake does`;

// Rarely needed, so loaded on demand.
async function openElsewhere(
  settings: Settings,
  world: World,
  print: Print,
): Promise<ReportEngine> {
  const { openTrinoEngine } = await import("../../adapters/lake/trino/engine.ts");
  return openTrinoEngine(settings, world, print);
}

/** The engine of the jobs, and where and how their data is described. */
type Outside = {
  readonly engine: Engine;
  readonly origin: Origin | undefined;
  readonly print: Print;
  readonly world: World;
};

/**
 * Runs the jobs in sequence; with several jobs, a failure does not stop the rest. An interrupt ends the current report,
 * but files written to a folder are finished first.
 */
async function runJobs(
  { jobs, folder }: Plan,
  flags: WriteFlags,
  outside: Outside,
): Promise<Outcome> {
  const { print, world } = outside;
  let [failed, rows] = [0, 0];
  let lastRange: string | undefined;
  const signal = folder === undefined ? world.signal : new AbortController().signal;
  for (const [i, job] of jobs.entries()) {
    if (world.signal.aborted)
      throw new AuditlakeError(
        `interrupted: ${i} of ${jobs.length} reports written`,
        exitCode.interrupted,
      );
    const [range] = formatRange(job.question.values);
    if (range !== undefined && range !== lastRange) print(range);
    lastRange = range;
    try {
      rows += await runAndPrint(job, flags, jobs.length > 1, { ...outside, signal });
    } catch (error) {
      if (jobs.length === 1 || signal.aborted) throw error;
      if (!(error instanceof AuditlakeError)) throw error;
      notify(world, faultOf(error));
      failed++;
    }
  }
  return { failed, rows };
}

async function runAndPrint(
  job: Job,
  flags: WriteFlags,
  isOneOfSeveral: boolean,
  { engine, origin, print, world, signal }: Outside & { readonly signal: AbortSignal },
): Promise<number> {
  const { limit } = flags;
  const notes: string[] = [];
  const rows = await runJob(job, {
    engine,
    stdout: newStreamSink(world.stdout, signal),
    options: {
      ...getTextOptions(flags),
      ...buildStdoutOptions(world, flags, (note) => notes.push(note)),
    },
    limit: chooseRowLimit(
      { limit, ...(job.path === undefined ? {} : { out: job.path }) },
      job.format,
      world,
    ),
    signal,
    titled: isOneOfSeveral,
  });
  const name = isOneOfSeveral || job.path !== undefined ? `${job.report.name}: ` : "";
  for (const note of notes) print((name || "… ") + note);
  print(name + formatRowCount(rows, limit, job.path));
  const found = rows.total ?? rows.shown;
  if (origin !== undefined && job.path !== undefined)
    await writeMeta(job, job.path, rows.shown, { ...origin, reach: engine.reach() }, world.now());
  if (flags.failOnRows && found > 0) notify(world, warning("rows_found", foundFacts(job, found)));
  return found;
}

function foundFacts({ report, path }: Job, rows: number): FactsOf<"rows_found"> {
  return { report: report.name, rows, path: path === undefined ? null : escapeControls(path) };
}

// Longer messages are not read.
const mostRows = 50;

/** Writes the first rows that reports found into a file, for those who get a notice of them. */
export async function writeFound(
  path: string,
  jobs: readonly Job[],
  { engine, head }: { readonly engine: Engine; readonly head: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const reports = [];
  for (const { report, question } of jobs) {
    const { columns, batches } = await engine.rows(report, question, signal);
    const rows: Row[] = [];
    for await (const batch of batches) {
      rows.push(...batch.slice(0, mostRows - rows.length));
      if (rows.length === mostRows) break;
    }
    const names = columns.map(({ name }) => name);
    reports.push({ name: report.name, columns: names, rows: rows.map((row) => row.map(toPlain)) });
  }
  const text = formatJsonDocument({
    reports,
    ...(head !== undefined && { evidence_head: head }),
  });
  await writeDurably(resolve(path), Buffer.from(text));
}

// JSON has no whole numbers of 64 bits.
function toPlain(cell: Cell): Exclude<Cell, bigint> {
  return typeof cell === "bigint" ? String(cell) : cell;
}
