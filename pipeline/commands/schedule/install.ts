import { userInfo } from "node:os";
import type { Command } from "commander";
import { messageOf, UsageError } from "../../errors.ts";
import { crontabOf } from "../../schedule/crontab.ts";
import { refuseUnprintable, timed } from "../../schedule/install.ts";
import type { Job } from "../../schedule/job.ts";
import { systemdOf } from "../../schedule/systemd.ts";
import {
  chooseSources,
  readSettings,
  type NamedSource,
  type Settings,
} from "../../home/settings.ts";
import type { World } from "../../world.ts";
import { refuseUnaskable } from "../../jobs/unaskable.ts";
import { callOf } from "../../jobs/run-child.ts";
import { configuredJobs } from "../../jobs/jobs.ts";
import { linesPrinter } from "../../terminal/printer.ts";

type InstallFlags = { readonly cron?: true; readonly systemd?: true; readonly user?: string };

/** Registers `schedule install`. */
export function addInstall(verb: Command, world: World): void {
  verb
    .command("install")
    .description("print what to install instead of the runner: a crontab, or systemd units")
    .option("--cron", "lines for crontab -e")
    .option("--systemd", "a service and a timer for each job, and one that tells of failures")
    .option("--user <name>", "whom the systemd units run as (default: who prints them)")
    .addHelpText(
      "after",
      `
Both go through schedule run --scheduled, so that schedule.notify hears of failures.
Neither passes on the environment: keys and credentials have to be in files.

Examples:
  auditlake schedule install --cron
  auditlake schedule install --systemd --user audit`,
    )
    .action((flags: InstallFlags, command: Command) => {
      if ((flags.cron === true) === (flags.systemd === true))
        throw new UsageError("expected one of --cron and --systemd");
      const user = flags.user ?? userInfo().username;
      if (!/^[A-Za-z_][A-Za-z0-9_.-]*\$?$/.test(user))
        throw new UsageError(`--user ${JSON.stringify(user)} is no name of a user`);
      const settings = readSettings(command, world);
      const jobs = configuredJobs(settings);
      refuseUnaskable(settings, world);
      const call = callOf(settings);
      refuseUnprintable(call);
      for (const line of lacking(
        timed(jobs).map(({ job }) => job),
        settings,
        world,
      ))
        linesPrinter(world)(`warning: ${line}`);
      world.stdout.write(flags.cron === true ? crontabOf(jobs, call) : systemdOf(jobs, call, user));
    });
}

/** What jobs would miss under cron or systemd, which pass no environment on, and what to set. */
function lacking(jobs: readonly Job[], settings: Settings, world: World): string[] {
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
