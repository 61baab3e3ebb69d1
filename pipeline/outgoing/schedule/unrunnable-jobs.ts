import { getMessage, UsageError } from "../../base/errors.ts";
import { selectReports, type Report, listReports } from "../../base/report/find.ts";
import { readGivenParams, buildQuestion, refuseUnknown } from "../../base/report/params.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

type JobConfig = Settings["config"]["schedule"]["jobs"][string];

/**
 * Lists faults that prevent jobs from running their reports or delivering, one per line: an unknown report, target or
 * activation; a missing, unknown or invalid parameter.
 */
export function listUnrunnable(settings: Settings, world: World): string[] {
  const jobs = Object.entries(settings.config.schedule.jobs);
  const asks = jobs.some(([, { report, export: exported }]) => report ?? exported);
  const reports = asks ? listReports(settings, {}, world) : [];
  return jobs.flatMap(([name, job]) =>
    [...listFaults(job, reports, world.now()), ...listUnknown(job, settings)].map(
      (fault) => `job ${name}: ${fault}`,
    ),
  );
}

function listUnknown(
  { export: exported, activate }: JobConfig,
  { config: { targets, activations } }: Settings,
): string[] {
  const activation = typeof activate === "string" ? { name: activate } : activate;
  const isOfFile = typeof activate === "object" && activate.from_workflow !== undefined;
  return [
    ...(exported === undefined ? [] : listMissing("target", exported.to, targets)),
    ...(isOfFile || activation?.name === undefined
      ? []
      : listMissing("activation", activation.name, activations)),
  ];
}

function listMissing(kind: string, name: string, all: Readonly<Record<string, unknown>>): string[] {
  if (Object.hasOwn(all, name)) return [];
  const known = Object.keys(all).join(", ") || "none";
  return [`${kind} ${name} is not configured; known: ${known}`];
}

/** Throws UsageError naming the first job that cannot ask its report. */
export function refuseUnaskable(settings: Settings, world: World): void {
  const [first] = listUnrunnable(settings, world);
  if (first !== undefined) throw new UsageError(first);
}

function listFaults(
  { report, export: exported }: JobConfig,
  reports: readonly Report[],
  nowMs: number,
): string[] {
  const asked = report ?? exported;
  if (asked === undefined) return [];
  // All of them are run with the parameters that fit them, and those with missing parameters are left out and named.
  const names = "names" in asked ? asked.names : asked.report === undefined ? [] : [asked.report];
  if (names === "all") return [];
  const pairs = Object.entries(asked.params ?? {}).map(([key, value]) => `${key}=${value}`);
  return names.flatMap((name) => {
    try {
      const [found] = selectReports(reports, [name]);
      const given = readGivenParams(asked, pairs);
      if (names.length === 1) refuseUnknown(given, [found!]);
      buildQuestion(found!, given, nowMs);
      return [];
    } catch (error) {
      return [getMessage(error)];
    }
  });
}
