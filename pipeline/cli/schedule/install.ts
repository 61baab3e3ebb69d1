import { notify, warning } from "../../base/notice/notice.ts";
import type { Command } from "commander";
import { UsageError } from "../../base/errors.ts";
import {
  writeCrontab,
  refuseUnprintable,
  writeSystemd,
  listTimed,
} from "../../outgoing/schedule/install.ts";
import { readSettings } from "../../base/home/settings.ts";
import { readUserName } from "../../base/home/version.ts";
import type { World } from "../../base/world.ts";
import { refuseUnaskable } from "../../outgoing/schedule/unrunnable-jobs.ts";
import { listMissing } from "../../outgoing/schedule/missing-settings.ts";
import { buildCall } from "../../outgoing/schedule/run-child.ts";
import { listConfiguredJobs } from "../../outgoing/schedule/jobs.ts";

type InstallFlags = { readonly cron?: true; readonly systemd?: true; readonly user?: string };

/** Registers `schedule install`. */
export function addInstall(verb: Command, world: World): void {
  verb
    .command("install")
    .description("print a crontab or systemd units to install instead of the runner")
    .option("--cron", "lines for crontab -e")
    .option("--systemd", "a service and a timer per job, and a service that notifies of failures")
    .option("--user <name>", "user of the systemd units (default: the current user)")
    .addHelpText(
      "after",
      `
Both use schedule run --scheduled, so that the targets in schedule.notify receive failures.
cron and systemd do not inherit your environment: keys and credentials must be in files.

Examples:
  auditlake schedule install --cron
  auditlake schedule install --systemd --user audit`,
    )
    .action((flags: InstallFlags, command: Command) => {
      if ((flags.cron === true) === (flags.systemd === true))
        throw new UsageError("expected one of --cron and --systemd");
      const user = flags.user ?? readUserName();
      const isNamed = flags.user !== undefined || flags.systemd === true;
      if (isNamed && !/^[A-Za-z_][A-Za-z0-9_.-]*\$?$/.test(user))
        throw new UsageError(`--user ${JSON.stringify(user)} is not a valid user name`);
      const settings = readSettings(command.optsWithGlobals(), world);
      const jobs = listConfiguredJobs(settings);
      refuseUnaskable(settings, world);
      const call = buildCall(settings);
      refuseUnprintable(call);
      for (const why of listMissing(
        listTimed(jobs).map(({ job }) => job),
        settings,
        world,
      ))
        notify(world, warning("timer_incomplete", { why }));
      world.stdout.write(
        flags.cron === true ? writeCrontab(jobs, call) : writeSystemd(jobs, call, user),
      );
    });
}
