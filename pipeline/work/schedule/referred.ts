import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { JobConfig } from "../../../schemas/schedule.ts";
import { own } from "../../base/home/own.ts";
import type { Settings } from "../../base/home/settings.ts";
import { sha256Of } from "../../base/home/sha256.ts";

/**
 * A digest of what a job refers to beside its own entry: source, target, activation and authentication, and the files
 * that these name. Of a file it has size and time, so that nothing of a key or a credential is in it.
 */
export function referredOf(
  job: JobConfig,
  { config, configFolder }: Pick<Settings, "config" | "configFolder">,
): string {
  const entries = [...workOf(job, config)];
  const ownReports = config.queries !== undefined && asksReport(job, config);
  const queries = ownReports ? queriesIn(resolve(configFolder, config.queries!)) : [];
  const files = filesIn([job, entries]).map((path) => resolve(configFolder, path));
  return sha256Of(JSON.stringify([entries, [...files, ...queries].map(stampOf)]));
}

type Config = Settings["config"];

function* workOf(job: JobConfig, config: Config): Generator<unknown> {
  const { ingest, policy_snapshot: snapshot, page, export: exported, lake } = job;
  const reads = ingest ?? snapshot;
  if (reads?.source !== undefined) yield own(config.sources, reads.source);
  else if (reads !== undefined) yield config.sources;
  if (lake !== undefined || ingest?.lake === true) yield config.lake;
  for (const name of [exported?.to, page?.mail].filter((each) => each !== undefined)) {
    const target = own(config.targets, name);
    yield [target, stored(target?.authentication, config)];
  }
  if (job.activate === undefined) return;
  const activation = activationOf(job, config);
  yield [activation, config.integrations];
  // A workflow file names its authentication itself.
  yield activation === undefined
    ? config.authentications
    : stored(activation.result_connection_name, config);
}

function activationOf(
  { activate }: JobConfig,
  { activations }: Config,
): Config["activations"][string] | undefined {
  if (activate === undefined) return undefined;
  if (typeof activate === "string") return own(activations, activate);
  const isNamed = activate.name !== undefined && activate.from_workflow === undefined;
  return isNamed ? own(activations, activate.name!) : undefined;
}

function stored(name: string | undefined, { authentications }: Config): unknown {
  return name === undefined ? undefined : own(authentications, name);
}

function asksReport(job: JobConfig, config: Config): boolean {
  const asked = job.report ?? job.export?.report ?? activationOf(job, config)?.report;
  return asked !== undefined;
}

const namesFile = /(?:^|_)(?:file|workflow)$/;

// Whatever its kind, an entry names a file by such a key.
function filesIn(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === "string" ? (namesFile.test(key) ? [inner] : []) : filesIn(inner),
  );
}

function queriesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? `${path} missing` : `${path} ${facts.size} ${facts.mtimeNs}`;
}
