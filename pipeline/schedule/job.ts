import { createHash } from "node:crypto";
import type { JobConfig, ScheduleConfig } from "../../schemas/schedule.ts";
import { ruleOf, type Rule } from "./rule.ts";

/** A job of the configuration, settled. */
export type Job = {
  readonly name: string;
  readonly rule: Rule;
  readonly timezone: string;
  /** The command line it stands for, without global flags. */
  readonly argv: readonly string[];
  /** Changes whenever the job's configuration does. */
  readonly fingerprint: string;
};

/** The jobs of the configuration, by name. */
export function jobsOf({ jobs, timezone }: ScheduleConfig): Job[] {
  return Object.entries(jobs)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, job]) => ({
      name,
      rule: ruleOf(job.cron),
      timezone: job.timezone ?? timezone,
      argv: argvOf(job),
      fingerprint: createHash("sha256").update(JSON.stringify(job)).digest("hex"),
    }));
}

function argvOf({ ingest, report, export: exported, activate, page, ...job }: JobConfig): string[] {
  const retry = job.retry_refused === true ? ["--retry-refused"] : [];
  if (ingest !== undefined)
    return ["ingest", ...flag("--source", ingest.source), ...(ingest.confirm ? ["--confirm"] : [])];
  if (report !== undefined) return reportArgv(report);
  if (page !== undefined) return ["page", "--out", page.out, ...flag("--since", page.since)];
  if (exported !== undefined) {
    const { report: name, to, yes } = exported;
    return ["export", name, "--to", to, ...asked(exported), ...(yes ? ["--yes"] : [])];
  }
  return ["activate", activate!, ...retry];
}

function reportArgv(report: NonNullable<JobConfig["report"]>): string[] {
  const names = report.names === "all" ? ["--all"] : report.names;
  const { out, format } = report;
  const flags = [...flag("--out", out), ...flag("--format", format), ...asked(report)];
  const marks = [
    ...(report.dated ? ["--dated"] : []),
    ...(report.meta ? ["--meta"] : []),
    ...(report.fail_on_rows ? ["--fail-on-rows"] : []),
  ];
  return ["report", "run", ...names, ...flags, ...marks];
}

/** What a report is asked with. */
type Asked = Pick<NonNullable<JobConfig["export"]>, "since" | "until" | "params" | "source">;

function asked({ since, until, params = {}, source }: Asked): string[] {
  const pairs = Object.entries(params).flatMap(([name, value]) => [`--param`, `${name}=${value}`]);
  return [
    ...flag("--since", since),
    ...flag("--until", until),
    ...flag("--source", source),
    ...pairs,
  ];
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}
