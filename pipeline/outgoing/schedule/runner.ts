import { readFileSync, rmSync } from "node:fs";
import { makeFolders } from "../../base/home/durable.ts";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Runner } from "./attempt.ts";
import { quoteWords } from "../../base/command-line.ts";
import type { Job } from "./job.ts";
import { type Notice, listSecrets, formatCause } from "./notice.ts";
import type { Memory, State } from "./job-state.ts";
import { newSender, sendWaiting } from "./notify.ts";
import type { JobEnd, JobFacts } from "./job-outcome.ts";
import { isIngest } from "./run-loop.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { buildCall, runChild } from "./run-child.ts";
import { lockIn, scheduleFile, takeSoon } from "./jobs.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { formatIso, toTimestamp } from "../../base/time/text.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { z } from "zod";
import type { Home } from "../../base/home/layout.ts";
import type { RunLock } from "../../base/home/lock.ts";

/** The runner of a configuration: its jobs run in processes of their own. */
export function newRunner(
  settings: Settings,
  memory: Memory,
  notify: Runner["notify"],
  world: World,
): Runner {
  const { schedule } = settings.config;
  const print = plainPrinter(world, {});
  return {
    world,
    memory,
    notify,
    print,
    mention: settings.flags.quiet === true ? () => undefined : print,
    start: (job, dueMs) => run(job, dueMs, settings, world),
    facts: schedule.notify === undefined ? undefined : (job) => getJobFacts(job, settings),
    disableAfter: schedule.disable_after,
    parallel: schedule.parallel,
  };
}

function markSent({ id }: Notice, name: string): (state: State) => State {
  const markNotice = (each: Notice): Notice =>
    each.id === id ? { ...each, sent_to: [...each.sent_to, name] } : each;
  return (state) => ({ ...state, notices: state.notices.map(markNotice) });
}

async function run(job: Job, dueMs: number, settings: Settings, world: World): Promise<JobEnd> {
  using place = isIngest(job) ? noPlace : await takePlace(job, settings, world);
  if (place === undefined) return { code: exitCode.interrupted, cause: undefined };
  const startedMs = world.now();
  const quiet = settings.flags.quiet === true ? ["--quiet"] : [];
  const summary = getSummaryFile(job, settings);
  const flags = summary === undefined ? [] : ["--summary", summary];
  const argv = [...job.argv, ...buildDueFlag(job, dueMs), ...flags, ...quiet];
  const resultFile = scheduleFile(settings.home, `result-${job.name}.json`);
  makeFolders(scheduleFile(settings.home, ""));
  rmSync(resultFile, { force: true });
  const ended = await runChild(buildCall(settings), argv, world, resultFile);
  const cause = ended.cause && formatCause(ended.cause, listSecrets(settings, world));
  const summarised = summary === undefined ? {} : readSummary(summary, job.noticeRows ?? 0);
  return await withRunId({ ...ended, ...summarised, cause }, job, startedMs, settings);
}

// An ingest waits for no other job.
const noPlace: Disposable = { [Symbol.dispose]: () => undefined };

function takePlace(
  job: Job,
  { home, config, flags }: Settings,
  world: World,
): Promise<Disposable | undefined> {
  const { parallel } = config.schedule;
  const waits = (): void => {
    if (flags.quiet !== true)
      plainPrinter(world, {})(`${job.name}: waiting, because ${parallel} jobs are running`);
  };
  return placeFor(job.name, home, parallel, waits, world);
}

// Each scheduled time has its own delivery.
function buildDueFlag({ argv }: Job, dueMs: number): string[] {
  const delivers = argv[0] === "export" || argv[0] === "activate";
  return delivers ? ["--due", formatIso(dueMs)] : [];
}

/** Returns the facts about a job for notices: its source, and the command line that shows more. */
export function getJobFacts({ argv }: Pick<Job, "argv">, settings: Settings): JobFacts {
  const isIngest = argv[0] === "ingest";
  const named = argv[argv.indexOf("--source") + 1];
  const [only = "default", ...others] = Object.keys(settings.config.sources);
  const source = argv.includes("--source") ? named! : others.length === 0 ? only : null;
  const verb = isIngest ? ["status"] : ["schedule", "list"];
  return {
    source: isIngest ? source : null,
    more: quoteWords([...buildCall(settings).words, ...verb]),
  };
}

/** Sends the notices that wait, one process at a time; throws where one may not have arrived. */
export async function sendAll(settings: Settings, memory: Memory, world: World): Promise<void> {
  const send = newSender(settings, world, plainPrinter(world, {}));
  if (send === undefined || memory.read().notices.length === 0) return;
  const path = scheduleFile(settings.home, "notices.lock");
  const take = () => lockIn(settings.home, path, "schedule", world.now());
  using _lock = await takeSoon(take);
  await sendWaiting(memory, (notice) =>
    send(notice, (name) => memory.update(markSent(notice, name))),
  );
}

/** How a run ended, with its id in the ledger where it was an ingest that failed and left one there. */
export async function withRunId(
  ended: JobEnd,
  { argv: [command = ""] }: Job,
  startedMs: number,
  settings: Settings,
): Promise<JobEnd> {
  if (command !== "ingest" || ended.code === exitCode.done) return ended;
  try {
    await using published = await openPublished(
      settings.home.published,
      readLimits(settings.config),
    );
    const values = { command, since: toTimestamp(startedMs) };
    const [row] = await queryFile(published.connection, "queries/status/failed_run.sql", values);
    return row === undefined ? ended : { ...ended, runId: String(row["run_id"]) };
  } catch {
    // Without a published file there are no facts; failures are reported all the same.
    return ended;
  }
}

const amount = z.int().min(0);
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const summary = z.object({
  runs: z
    .array(
      z.object({
        accepted: amount,
        refused: amount,
        doubtful: amount,
        refused_rows: z
          .array(
            z.object({ id: z.string(), status: z.string(), state: z.string(), reason: z.string() }),
          )
          .default([]),
      }),
    )
    .default([]),
  reports: z
    .array(z.object({ columns: z.array(z.string()), rows: z.array(z.array(cell)) }))
    .default([]),
});

/** Returns the file for the summary of a job; undefined for a job without one. Removes an old file. */
function getSummaryFile(
  { name, argv, noticeRows = 0 }: Job,
  { home }: Settings,
): string | undefined {
  const delivers = argv[0] === "export" || argv[0] === "activate";
  const finds = noticeRows > 0 && argv.includes("--fail-on-rows");
  if (!delivers && !finds) return undefined;
  makeFolders(scheduleFile(home, ""));
  const path = scheduleFile(home, `summary-${name}.json`);
  rmSync(path, { force: true });
  return path;
}

/** Reads the summary of a job: numbers of delivered and failed rows, and the first rows found or failed. */
export function readSummary(path: string, rows: number): Pick<JobEnd, "counts" | "table"> {
  try {
    const { runs, reports } = summary.parse(JSON.parse(readFileSync(path, "utf8")));
    return { counts: sumCounts(runs), table: rows === 0 ? null : buildTable(runs, reports, rows) };
  } catch {
    // A command that ended before it said anything has left none.
    return {};
  } finally {
    rmSync(path, { force: true });
  }
}

type Summary = z.infer<typeof summary>;

function sumCounts(runs: Summary["runs"]): JobEnd["counts"] {
  if (runs.length === 0) return null;
  const sumOf = (name: "accepted" | "refused" | "doubtful"): number =>
    runs.reduce((sum, run) => sum + run[name], 0);
  return { accepted: sumOf("accepted"), refused: sumOf("refused"), doubtful: sumOf("doubtful") };
}

function buildTable(
  runs: Summary["runs"],
  reports: Summary["reports"],
  limit: number,
): JobEnd["table"] {
  const refused = runs.flatMap((run) => run.refused_rows);
  if (refused.length > 0) {
    const rows = refused
      .slice(0, limit)
      .map(({ status, id, state, reason }) => [status, id, state, reason]);
    return { columns: ["class", "id", "state", "reason"], rows };
  }
  const found = reports.find((report) => report.rows.length > 0);
  if (found === undefined) return null;
  const rows = found.rows.slice(0, limit).map((row) => row.map((each) => String(each ?? "")));
  return { columns: found.columns, rows };
}

// Short enough for a job of a second, and nothing to a machine that waits for an hour.
const lookAgainMs = 1000;

/**
 * Takes one of `count` places that a home has for jobs of the schedule, started by one `schedule run`, or by cron and
 * systemd with a process each. Waits for one without a limit; `waits` is called once. Undefined if the signal aborts
 * first.
 */
async function placeFor(
  job: string,
  home: Home,
  count: number,
  waits: () => void,
  { now, sleep, signal }: Pick<World, "now" | "sleep" | "signal">,
): Promise<RunLock | undefined> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const place = findFreePlace(job, home, count, now());
    if (place !== undefined) return place;
    if (isFirst) waits();
    await sleep(lookAgainMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return undefined;
}

function findFreePlace(job: string, home: Home, count: number, nowMs: number): RunLock | undefined {
  for (let place = 1; place <= count; place++)
    try {
      return lockIn(home, scheduleFile(home, `place-${place}.lock`), `job ${job}`, nowMs);
    } catch (error) {
      const isTaken = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isTaken) throw error;
    }
  return undefined;
}
