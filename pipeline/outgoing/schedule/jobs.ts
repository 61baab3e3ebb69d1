import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeFolders, computeSha256, writeDurably } from "../../base/home/durable.ts";
import { AuditlakeError, exitCode, UsageError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { type RunLock, takeLock } from "../../base/home/lock.ts";
import { type Job, listJobs } from "./job.ts";
import { type Memory, readState, writeState } from "./job-state.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { readWorkflow } from "../activations/workflow.ts";
import { readdirSync, statSync } from "node:fs";
import type { JobConfig } from "../../../schemas/schedule.ts";
import { getOwn } from "../../base/home/get-own.ts";

/** Lists the configured jobs; throws UsageError without any. */
export function listConfiguredJobs(settings: Settings): Job[] {
  const { config, configFile, configFolder } = settings;
  const jobs = listJobs(config.schedule, {
    findZone: (file) => readWorkflowZone(resolve(configFolder, file)),
    hashReferred: (job) => hashReferred(job, settings),
  });
  if (jobs.length > 0) return jobs;
  throw new UsageError(
    `no jobs: ${configFile ?? "the configuration"} has nothing under schedule.jobs; add one such as "nightly": {"cron": "15 2 * * *", "ingest": {}}`,
  );
}

// The run that needs an unreadable file reports it.
function readWorkflowZone(path: string): string | undefined {
  try {
    return readWorkflow(path).timezone;
  } catch {
    return undefined;
  }
}

/** The job of a name; throws UsageError naming those there are. */
export function findJob(jobs: readonly Job[], name: string): Job {
  const found = jobs.find((job) => job.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`no job ${name}; known: ${jobs.map((job) => job.name).join(", ")}`);
}

export function scheduleFile({ root }: Home, name: string): string {
  return join(root, "schedule", name);
}

/**
 * Opens the schedule's state between starts, a file in the home; for the holder of the lock of the schedule, as
 * `lockSchedule` returns it.
 */
export function openMemory(home: Home): Memory {
  const path = scheduleFile(home, "state.json");
  // Until version 0.1 it lay beside the folder.
  const read = (): ReturnType<Memory["read"]> => readState(path, join(home.root, "schedule.json"));
  // Jobs that run side by side change it in turn.
  let last: Promise<unknown> = Promise.resolve();
  const updateState: Memory["update"] = (change) => {
    const own = last.then(() => writeDurably(path, writeState(change(read()))));
    last = own.catch(() => undefined);
    return own;
  };
  return { read, update: updateState };
}

/** The same without the lock: it is taken for each change. */
export function openSharedMemory(home: Home, { now }: World): Memory {
  const { read, update } = openMemory(home);
  return {
    read,
    update: async (change) => {
      using _lock = await takeSoon(() => lockSchedule(home, "schedule", now()));
      await update(change);
    },
  };
}

/** Takes the lock of the schedule; throws with exit code 5, naming the holder, if it is taken. */
export function lockSchedule(home: Home, command: string, nowMs: number): RunLock {
  return lockIn(home, scheduleFile(home, "schedule.lock"), command, nowMs);
}

/** Held while a job runs that cron or systemd started. */
export function getJobLock(home: Home, job: string): string {
  return scheduleFile(home, `job-${job}.lock`);
}

/** Takes a lock in the schedule's folder; throws with exit code 5 if it is taken. */
export function lockIn(home: Home, path: string, command: string, nowMs: number): RunLock {
  makeFolders(scheduleFile(home, ""));
  return takeLock(path, command, nowMs);
}

// A change takes milliseconds, on a busy machine some more.
const tries = 100;
const pauseMs = 100;

/** The lock once its holder lets go of it; throws what `take` throws where he does not within ten seconds. */
export async function takeSoon(take: () => RunLock): Promise<RunLock> {
  for (let left = tries; ; left--)
    try {
      return take();
    } catch (error) {
      const isLocked = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isLocked || left === 0) throw error;
      await wait(pauseMs);
    }
}

/**
 * A digest of what a job refers to beside its own entry: source, target, activation and authentication, and the files
 * that these name. Of a file it has size and time, so that nothing of a key or a credential is in it.
 */
function hashReferred(
  job: JobConfig,
  { config, configFolder }: Pick<Settings, "config" | "configFolder">,
): string {
  const entries = [...listWork(job, config)];
  const ownReports = config.queries !== undefined && usesReport(job, config);
  const queries = ownReports ? listQueries(resolve(configFolder, config.queries!)) : [];
  const files = listFiles([job, entries]).map((path) => resolve(configFolder, path));
  return computeSha256(JSON.stringify([entries, [...files, ...queries].map(readStamp)]));
}

type Config = Settings["config"];

function* listWork(job: JobConfig, config: Config): Generator<unknown> {
  const { ingest, policy_snapshot: snapshot, page, export: exported, lake } = job;
  const reads = ingest ?? snapshot;
  if (reads?.source !== undefined) yield getOwn(config.sources, reads.source);
  else if (reads !== undefined) yield config.sources;
  if (lake !== undefined || ingest?.lake === true) yield config.lake;
  for (const name of [exported?.to, page?.mail].filter((each) => each !== undefined)) {
    const target = getOwn(config.targets, name);
    yield [target, findAuthentication(target?.authentication, config)];
  }
  if (job.activate === undefined) return;
  const activation = findActivation(job, config);
  yield [activation, config.integrations];
  // A workflow file names its authentication itself.
  yield activation === undefined
    ? config.authentications
    : findAuthentication(activation.result_connection_name, config);
}

function findActivation(
  { activate }: JobConfig,
  { activations }: Config,
): Config["activations"][string] | undefined {
  if (activate === undefined) return undefined;
  if (typeof activate === "string") return getOwn(activations, activate);
  const isNamed = activate.name !== undefined && activate.from_workflow === undefined;
  return isNamed ? getOwn(activations, activate.name!) : undefined;
}

function findAuthentication(name: string | undefined, { authentications }: Config): unknown {
  return name === undefined ? undefined : getOwn(authentications, name);
}

function usesReport(job: JobConfig, config: Config): boolean {
  const asked = job.report ?? job.export?.report ?? findActivation(job, config)?.report;
  return asked !== undefined;
}

const namesFile = /(?:^|_)(?:file|workflow)$/;

// Entries of every kind name files by such a key.
function listFiles(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === "string" ? (namesFile.test(key) ? [inner] : []) : listFiles(inner),
  );
}

function listQueries(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readStamp(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? `${path} missing` : `${path} ${facts.size} ${facts.mtimeNs}`;
}
