import { type ConfigFile, configSchema, type SourceConfig } from "../../../schemas/config.ts";
import { listJobs } from "../../outgoing/schedule/job.ts";
import { listNextRuns } from "../../outgoing/schedule/rule.ts";
import {
  type Cadence,
  checkFit,
  findLongestGap,
  type Proposal,
  listProposals,
} from "../../core/source/fit.ts";
import { formatDuration, formatCount } from "../../base/terminal/amounts.ts";
import { isObject } from "../../../schemas/object.ts";
import { type Findings, investigate } from "../../core/source/discovery/investigate.ts";
import { newAsker } from "../../core/source/discovery/asker.ts";
import type { Client } from "../../core/source/client.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

const dayMs = 86_400_000;

// Enough to meet each distance between two runs of a schedule, a change of the clocks within a year among them.
const runsSeen = 400;

/** How a source is read by what the configuration says; undefined for runs that it says nothing of. */
export function buildCadence(
  name: string,
  source: SourceConfig,
  { schedule }: Pick<ConfigFile, "schedule">,
  nowMs: number,
): Omit<Cadence, "runs"> & { readonly runs: Cadence["runs"] | undefined } {
  const jobs = Object.entries(schedule.jobs).filter(
    ([, { ingest }]) => ingest !== undefined && (ingest.source ?? name) === name,
  );
  const rules = listJobs({ ...schedule, jobs: Object.fromEntries(jobs) });
  const runs = rules.map(({ rule, timezone }) => listNextRuns(rule, timezone, nowMs, runsSeen));
  // Behind the last run that one of several jobs has shown, the others are not all there.
  const untilMs = Math.min(...runs.map((moments) => moments.at(-1) ?? Infinity));
  const moments = [...new Set(runs.flat())].filter((ms) => ms <= untilMs).toSorted((a, b) => a - b);
  return {
    retentionMs: source.retention,
    windowMs: source.window,
    graceMs: source.grace_period,
    lookbackMs: source.lookback,
    runs: moments.length < 3 ? undefined : { atMs: moments },
    confirm: source.confirm || (jobs.length > 0 && jobs.every(([, { ingest }]) => ingest!.confirm)),
  };
}

/** How the reads are, in words. */
export function formatCadence({ windowMs, graceMs, confirm, ...reads }: Cadence): string {
  const gapMs = findLongestGap(reads);
  const runs = Number.isFinite(gapMs)
    ? `a run every ${formatTime(gapMs)}${"atMs" in reads.runs ? " or more often" : ""}`
    : "schedule without two runs";
  const how = confirm ? "read twice by one run" : "read by two runs";
  return `windows of ${formatTime(windowMs)}, ${how}, ${formatTime(graceMs)} grace period, ${runs}`;
}

/** How old the beginning of a window gets before its second read, in words. */
export function formatAge(reads: Cadence): string {
  const { worstAgeMs, limitMs } = checkFit(reads);
  const age =
    worstAgeMs === undefined
      ? "no second read is scheduled"
      : `a window is up to ${formatTime(worstAgeMs)} old at its second read`;
  const limit =
    reads.retentionMs === undefined
      ? `the scheduled range ends at ${formatTime(limitMs)}`
      : `the service retains ${formatTime(limitMs)}`;
  return `${age}, ${limit}`;
}

/** What would fit, in words; undefined where nothing does. */
export function formatProposals(
  reads: Cadence,
  write: (proposal: Proposal) => string,
): string | undefined {
  const proposals = listProposals(reads).map(write);
  return proposals.length === 0 ? undefined : proposals.join(", or ");
}

export function formatSettings({ windowMs, runsPerDay, confirm }: Proposal): string {
  const parts = [
    windowMs === undefined ? [] : [`window ${formatShort(windowMs)}`],
    runsPerDay === undefined ? [] : [`${formatCount(runsPerDay, "run")} a day`],
    confirm === undefined ? [] : ["confirm true"],
  ];
  return parts.flat().join(" and ");
}

/** An interval of time as the configuration takes it: `6h`, `15m`. */
export function formatShort(ms: number): string {
  const units = [
    ["d", dayMs],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const;
  const [unit, length] = units.find(([, each]) => ms % each === 0) ?? ["s", 1000];
  return `${ms / length}${unit}`;
}

/** An interval of time for reading. */
export function formatTime(ms: number): string {
  return formatDuration(Math.ceil(ms / 1000));
}

type Audits = SourceConfig["audits"];

/** Attempts of one request if a user waits for the answer. */
const patientAttempts = 2;

const longestWaitMs = 15_000;

/** Limits a source for a waiting user: no long timeouts, and few further attempts. */
export function makeImpatient(source: NamedSource): NamedSource {
  const timeout = Math.min(source.limits.timeout, longestWaitMs);
  return { ...source, limits: { ...source.limits, timeout, max_attempts: patientAttempts } };
}

/** Finds the paging of an impatient source; `isWritten` says that its configuration is one to be tried. */
export function findPaging(
  client: Client,
  { audits, limits }: NamedSource,
  isWritten: boolean,
  world: World,
): Promise<Findings> {
  const asker = newAsker(client, patientAttempts, audits.empty_status);
  return investigate(asker, { audits, limits, isWritten }, world.now());
}

/** Lists the settings that differ from the default and must be written. */
export function listChangedAudits(audits: Audits): object {
  const plain = configSchema.parse({ sources: { a: {} } }).sources["a"]!.audits;
  const { style } = audits.paging;
  return {
    ...(selectChanged(audits, plain) as object),
    paging: { style, ...selectChanged(audits.paging, plain.paging) },
  };
}

function selectChanged(value: object, plain: object): object {
  const defaults = new Map<string, unknown>(Object.entries(plain));
  const kept = Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (JSON.stringify(member) === JSON.stringify(defaults.get(key))) return [];
    const inner = defaults.get(key);
    const isGroup = isObject(member) && isObject(inner);
    return [[key, isGroup ? selectChanged(member, inner) : member]];
  });
  return Object.fromEntries(kept) as object;
}
