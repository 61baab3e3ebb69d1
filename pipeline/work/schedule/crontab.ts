import { UsageError } from "../../base/errors.ts";
import { shellWord, shellWords, type Call } from "../../base/command-line.ts";
import { timed, timerWords } from "./install.ts";
import type { Job } from "./job.ts";

/** Lines for a crontab, jobs without scheduled time left out. Throws UsageError on a path that no line can hold. */
export function crontabOf(jobs: readonly Job[], call: Call): string {
  refuseBackslash(call);
  const byZone = Map.groupBy(timed(jobs), ({ job }) => job.timezone);
  const blocks = [...byZone].map(([timezone, all]) => {
    const lines = all.map(
      ({ job, pattern }) => `# ${job.name}\n${pattern}  ${cronCommand(job, call)}`,
    );
    return [`CRON_TZ=${timezone}`, ...lines].join("\n");
  });
  const note =
    "# Check that your cron knows CRON_TZ; where it does not, it takes the times for those of the machine's own zone.";
  return `${[note, ...blocks].join("\n")}\n`;
}

// Whether a backslash before another one, or before a percent sign, stays is not the same in every cron.
function refuseBackslash({ words, folder }: Call): void {
  const found = [folder, ...words].find((word) => word.includes("\\"));
  if (found !== undefined)
    throw new UsageError(
      `${found} has a backslash in it, which crons read in different ways; move it, or use --systemd`,
    );
}

// A percent sign ends the command in a crontab.
function cronCommand({ name }: Job, { words, folder }: Call): string {
  const command = shellWords([...words, ...timerWords(name)]);
  return `cd ${shellWord(folder)} && ${command}`.replaceAll("%", "\\%");
}
