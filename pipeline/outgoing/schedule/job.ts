import type { JobConfig, ScheduleConfig } from "../../../schemas/schedule.ts";
import { parseRule, type Rule } from "./rule.ts";
import { computeSha256 } from "../../base/home/durable.ts";

/** A job of the configuration with its defaults. */
export type Job = {
  readonly name: string;
  readonly rule: Rule;
  readonly timezone: string;
  /** Its command line, without global flags. */
  readonly argv: readonly string[];
  /** Maximum of found or refused rows in a notice. */
  readonly noticeRows?: number;
  /** Changes whenever the job's configuration does. */
  readonly fingerprint: string;
  /** Changes whenever what the job refers to does: a job that was disabled over its configuration is tried again. */
  readonly referred?: string;
};

/** What jobs take from outside their own entries. */
export type Outside = {
  readonly findZone?: (file: string) => string | undefined;
  readonly hashReferred?: (job: JobConfig) => string;
};

export function listJobs(
  { jobs, timezone }: ScheduleConfig,
  { findZone = () => undefined, hashReferred = () => "" }: Outside = {},
): Job[] {
  return Object.entries(jobs)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, job]) => ({
      name,
      rule: parseRule(job.cron),
      timezone: job.timezone ?? findWorkflowZone(job, findZone) ?? timezone,
      argv: buildArgv(job),
      noticeRows: job.tell_rows ?? 0,
      fingerprint: computeSha256(JSON.stringify(job)),
      referred: hashReferred(job),
    }));
}

function buildArgv({
  ingest,
  report,
  export: exported,
  activate,
  page,
  policy_snapshot: snapshot,
  lake,
  ...job
}: JobConfig): string[] {
  if (snapshot !== undefined)
    return ["policy", "snapshot", ...buildFlag("--source", snapshot.source)];
  if (lake !== undefined) return ["lake", "publish", ...(lake.full ? ["--full"] : [])];
  if (ingest !== undefined)
    return [
      "ingest",
      ...buildFlag("--source", ingest.source),
      ...(ingest.confirm ? ["--confirm"] : []),
      ...(ingest.lake ? ["--lake"] : []),
    ];
  if (report !== undefined) return reportArgv(report);
  if (page !== undefined)
    return [
      "page",
      "--out",
      page.out,
      ...buildFlag("--name", page.name),
      ...buildFlag("--since", page.since),
      ...buildFlag("--mail", page.mail),
    ];
  if (exported !== undefined) {
    const { report: name, table, file, to, yes } = exported;
    const what = [
      ...(name === undefined ? [] : [name]),
      ...buildFlag("--table", table),
      ...buildFlag("--file", file),
    ];
    return ["export", ...what, "--to", to, ...buildParamFlags(exported), ...(yes ? ["--yes"] : [])];
  }
  return activateArgv(typeof activate === "string" ? { name: activate } : activate!, job);
}

type Activation = Partial<Exclude<NonNullable<JobConfig["activate"]>, string>>;

function activateArgv(given: Activation, { retry_refused: retries }: Partial<JobConfig>): string[] {
  const flags: readonly (readonly [string, boolean | undefined])[] = [
    ["--yes", given.yes],
    ["--allow-empty", given.allow_empty],
    ["--retry-refused", given.retry_refused === true || retries],
    ["--resend-uncertain", given.resend_uncertain],
    ["--accept-refused", given.accept_refused],
  ];
  const pairs = Object.entries(given.params ?? {}).flatMap(([name, value]) => [
    "--param",
    `${name}=${value}`,
  ]);
  return [
    "activate",
    ...(given.name === undefined ? [] : [given.name]),
    ...buildFlag("--from-workflow", given.from_workflow),
    ...pairs,
    ...flags.flatMap(([name, isSet]) => (isSet === true ? [name] : [])),
  ];
}

function findWorkflowZone(
  { activate }: JobConfig,
  zoneOf: (file: string) => string | undefined,
): string | undefined {
  const file = typeof activate === "object" ? activate.from_workflow : undefined;
  return file === undefined ? undefined : zoneOf(file);
}

function reportArgv(report: NonNullable<JobConfig["report"]>): string[] {
  const names = report.names === "all" ? ["--all"] : report.names;
  const { out, format } = report;
  const flags = [
    ...buildFlag("--out", out),
    ...buildFlag("--format", format),
    ...buildParamFlags(report),
  ];
  const marks = [
    ...(report.dated ? ["--dated"] : []),
    ...(report.meta ? ["--meta"] : []),
    ...(report.fail_on_rows ? ["--fail-on-rows"] : []),
  ];
  return ["report", "run", ...names, ...flags, ...marks];
}

type ExportSettings = Pick<
  NonNullable<JobConfig["export"]>,
  "since" | "until" | "params" | "source"
>;

function buildParamFlags({ since, until, params = {}, source }: ExportSettings): string[] {
  const pairs = Object.entries(params).flatMap(([name, value]) => [`--param`, `${name}=${value}`]);
  return [
    ...buildFlag("--since", since),
    ...buildFlag("--until", until),
    ...buildFlag("--source", source),
    ...pairs,
  ];
}

function buildFlag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}
