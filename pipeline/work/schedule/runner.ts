import { rmSync } from "node:fs";
import { makeFolders } from "../../base/home/folders.ts";
import { exitCode } from "../../base/errors.ts";
import type { Runner } from "./attempt.ts";
import { shellWords } from "../../base/command-line.ts";
import type { Job } from "./job.ts";
import { shownCause } from "./notice.ts";
import type { Notice } from "./notice.ts";
import type { State } from "./job-state.ts";
import { readSummary, summaryFile } from "./summary.ts";
import { sendWaiting } from "./outbox.ts";
import type { Ended, JobFacts } from "./job-outcome.ts";
import type { Memory } from "./job-state.ts";
import { isIngest } from "./under-way.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { callOf, runChild } from "./run-child.ts";
import { lockIn, scheduleFile, soon } from "./jobs.ts";
import { senderOf } from "./notify.ts";
import { placeFor } from "./places.ts";
import { withRunId } from "./run-id.ts";
import { secretsOf } from "./secrets.ts";
import { linesPrinter } from "../../base/terminal/printer.ts";
import { isoText } from "../../base/time/text.ts";

/** The runner of a configuration: its jobs run in processes of their own. */
export function runnerOf(
  settings: Settings,
  memory: Memory,
  notify: Runner["notify"],
  world: World,
): Runner {
  const { schedule } = settings.config;
  const print = linesPrinter(world);
  return {
    world,
    memory,
    notify,
    print,
    mention: settings.flags.quiet === true ? () => undefined : print,
    start: (job, dueMs) => run(job, dueMs, settings, world),
    facts: schedule.notify === undefined ? undefined : (job) => factsOf(job, settings),
    disableAfter: schedule.disable_after,
    parallel: schedule.parallel,
  };
}

function sentTo({ id }: Notice, name: string): (state: State) => State {
  const marked = (each: Notice): Notice =>
    each.id === id ? { ...each, sent_to: [...each.sent_to, name] } : each;
  return (state) => ({ ...state, notices: state.notices.map(marked) });
}

async function run(job: Job, dueMs: number, settings: Settings, world: World): Promise<Ended> {
  using place = isIngest(job) ? noPlace : await placeOf(job, settings, world);
  if (place === undefined) return { code: exitCode.interrupted, cause: undefined };
  const startedMs = world.now();
  const quiet = settings.flags.quiet === true ? ["--quiet"] : [];
  const summary = summaryFile(job, settings);
  const flags = summary === undefined ? [] : ["--summary", summary];
  const argv = [...job.argv, ...dueFlag(job, dueMs), ...flags, ...quiet];
  const resultFile = scheduleFile(settings.home, `result-${job.name}.json`);
  makeFolders(scheduleFile(settings.home, ""));
  rmSync(resultFile, { force: true });
  const ended = await runChild(callOf(settings), argv, world, resultFile);
  const cause = ended.cause && shownCause(ended.cause, secretsOf(settings, world));
  const summarised = summary === undefined ? {} : readSummary(summary, job.noticeRows ?? 0);
  return await withRunId({ ...ended, ...summarised, cause }, job, startedMs, settings);
}

// An ingest waits for no other job.
const noPlace: Disposable = { [Symbol.dispose]: () => undefined };

function placeOf(
  job: Job,
  { home, config, flags }: Settings,
  world: World,
): Promise<Disposable | undefined> {
  const { parallel } = config.schedule;
  const waits = (): void => {
    if (flags.quiet !== true) linesPrinter(world)(`${job.name}: waits, since ${parallel} jobs run`);
  };
  return placeFor(job.name, home, parallel, waits, world);
}

// What goes out is a delivery of its own each time it is due.
function dueFlag({ argv }: Job, dueMs: number): string[] {
  const delivers = argv[0] === "export" || argv[0] === "activate";
  return delivers ? ["--due", isoText(dueMs)] : [];
}

/** What notices say of a job: the source it reads, and the command line that shows more. */
export function factsOf({ argv }: Pick<Job, "argv">, settings: Settings): JobFacts {
  const isIngest = argv[0] === "ingest";
  const named = argv[argv.indexOf("--source") + 1];
  const [only = "default", ...others] = Object.keys(settings.config.sources);
  const source = argv.includes("--source") ? named! : others.length === 0 ? only : null;
  const verb = isIngest ? ["status"] : ["schedule", "list"];
  return {
    source: isIngest ? source : null,
    more: shellWords([...callOf(settings).words, ...verb]),
  };
}

/** Sends the notices that wait, one process at a time; throws where one may not have arrived. */
export async function sendAll(settings: Settings, memory: Memory, world: World): Promise<void> {
  const send = senderOf(settings, world, linesPrinter(world));
  if (send === undefined || memory.read().notices.length === 0) return;
  const path = scheduleFile(settings.home, "notices.lock");
  const take = () => lockIn(settings.home, path, "schedule", world.now());
  using _lock = await soon(take);
  await sendWaiting(memory, (notice) =>
    send(notice, (name) => memory.update(sentTo(notice, name))),
  );
}
