import { getMessage } from "../../base/errors.ts";
import {
  chooseSource,
  chooseSources,
  type NamedSource,
  type Settings,
} from "../../base/home/settings.ts";
import type { Job } from "./job.ts";
import type { World } from "../../base/world.ts";

/** What jobs would miss under cron or systemd, which pass no environment on, and what to set. */
export function listMissing(jobs: readonly Job[], settings: Settings, world: World): string[] {
  const sources = jobs
    .filter(({ argv }) => argv[0] === "ingest" || argv[0] === "policy")
    .flatMap(({ name, argv }) => listMissingOfSource(name, argv, settings, world));
  const { targets, authentications, schedule, lake } = settings.config;
  const isLakeUsed = jobs.some(({ argv }) => argv[0] === "lake" || argv.includes("--lake"));
  const used = new Set(Object.values(targets).map((target) => target.authentication));
  const credentials = Object.entries(authentications).flatMap(([name, place]) =>
    "env" in place && used.has(name)
      ? [
          `authentications.${name} is in the environment variable ${place.env}, which cron and systemd do not pass on; put it into a file with mode 600 and set {"file": "…"}`,
        ]
      : [],
  );
  const unheard =
    schedule.notify === undefined
      ? [
          "schedule.notify is not set: no target is notified of a failed job; set it to a webhook from targets",
        ]
      : [];
  const store = isLakeUsed ? listMissingOfLake(lake) : [];
  return [...new Set([...sources, ...store, ...credentials, ...unheard])];
}

function listMissingOfSource(
  job: string,
  argv: readonly string[],
  { flags, ...settings }: Settings,
  world: World,
): string[] {
  const named = argv.includes("--source") ? { source: argv[argv.indexOf("--source") + 1]! } : {};
  const { source: _flag, ...others } = flags;
  try {
    const own = { ...settings, flags: { ...others, ...named } };
    const bare = { ...world, env: {} };
    // Policies are read of one source.
    const all = argv[0] === "policy" ? [chooseSource(own, bare)] : chooseSources(own, bare);
    return all.flatMap(listMissingSettings);
  } catch (error) {
    return [`job ${job}: ${getMessage(error)}`];
  }
}

function listMissingOfLake(lake: Settings["config"]["lake"]): string[] {
  if (lake?.endpoint === undefined || lake.credentials_file !== undefined) return [];
  return [
    `lake: the key is in the environment variables ${lake.key_env} and ${lake.secret_env}, which cron and systemd do not pass on; put it into a file with mode 600 and set lake.credentials_file`,
  ];
}

function listMissingSettings(source: NamedSource): string[] {
  const at = `sources.${source.name}`;
  const address =
    source.base_url === undefined
      ? [
          `${at}.base_url is missing, and cron and systemd do not pass on AUDITLAKE_BASE_URL; set it`,
        ]
      : [];
  if (source.api_key_file !== undefined) return address;
  const key = `${at}: the key is in the environment variable ${source.api_key_env}, which cron and systemd do not pass on; put it into a file with mode 600 and set ${at}.api_key_file`;
  return [...address, key];
}
