import { messageOf } from "../errors.ts";
import { chooseSources, type NamedSource, type Settings } from "../home/settings.ts";
import type { Job } from "../schedule/job.ts";
import type { World } from "../world.ts";

/** What jobs would miss under cron or systemd, which pass no environment on, and what to set. */
export function lacking(jobs: readonly Job[], settings: Settings, world: World): string[] {
  const sources = jobs
    .filter(({ argv }) => argv[0] === "ingest")
    .flatMap(({ name, argv }) => sourceLacks(name, argv, settings, world));
  const { targets, authentications, schedule } = settings.config;
  const used = new Set(Object.values(targets).map((target) => target.authentication));
  const credentials = Object.entries(authentications).flatMap(([name, place]) =>
    "env" in place && used.has(name)
      ? [
          `authentications.${name} is in the environment variable ${place.env}, which cron and systemd do not pass on; put it into a file of mode 600 and name that: {"file": "…"}`,
        ]
      : [],
  );
  const unheard =
    schedule.notify === undefined
      ? [
          "schedule.notify is not set: nobody is told of a job that fails; name a webhook of targets",
        ]
      : [];
  return [...new Set([...sources, ...credentials, ...unheard])];
}

function sourceLacks(
  job: string,
  argv: readonly string[],
  { flags, ...settings }: Settings,
  world: World,
): string[] {
  const named = argv.includes("--source") ? { source: argv[argv.indexOf("--source") + 1]! } : {};
  const { source: _flag, ...others } = flags;
  try {
    const all = chooseSources(
      { ...settings, flags: { ...others, ...named } },
      { ...world, env: {} },
    );
    return all.flatMap(lackingOf);
  } catch (error) {
    return [`job ${job}: ${messageOf(error)}`];
  }
}

function lackingOf(source: NamedSource): string[] {
  const at = `sources.${source.name}`;
  const address =
    source.base_url === undefined
      ? [`${at}.base_url is missing, and cron and systemd pass no AUDITLAKE_BASE_URL on; set it`]
      : [];
  if (source.api_key_file !== undefined) return address;
  const key = `${at}: the key is in the environment variable ${source.api_key_env}, which cron and systemd do not pass on; put it into a file of mode 600 and name that by ${at}.api_key_file`;
  return [...address, key];
}
