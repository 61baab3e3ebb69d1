import { parseCron, type CronField } from "../../schemas/cron.ts";
import type { Job } from "./job.ts";

/** How the program is called from outside: words of a command line, and the folder it is called in. */
export type Call = { readonly words: readonly string[]; readonly folder: string };

type Scheduled = { readonly job: Job; readonly pattern: string };

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Lines for a crontab, jobs without scheduled time left out. */
export function crontabOf(jobs: readonly Job[], call: Call): string {
  const byZone = Map.groupBy(scheduled(jobs), ({ job }) => job.timezone);
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

/** Units for systemd, each under a comment that names its file; jobs without scheduled time are left out. */
export function systemdOf(jobs: readonly Job[], call: Call): string {
  return scheduled(jobs)
    .map(({ job, pattern }) => `${service(job, call)}\n${timer(job, pattern)}`)
    .join("\n");
}

function scheduled(jobs: readonly Job[]): Scheduled[] {
  return jobs.flatMap((job) =>
    job.rule.pattern === null ? [] : [{ job, pattern: job.rule.pattern }],
  );
}

// A percent sign ends the command in a crontab.
function cronCommand({ argv }: Job, { words, folder }: Call): string {
  const command = [...words, ...argv, "--quiet"].map(shellWord).join(" ");
  return `cd ${shellWord(folder)} && ${command}`.replaceAll("%", "\\%");
}

function service({ name, argv }: Job, { words, folder }: Call): string {
  return `# /etc/systemd/system/auditlake-${name}.service
[Unit]
Description=auditlake ${name}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
WorkingDirectory=${unitText(folder)}
ExecStart=${[...words, ...argv, "--quiet"].map(unitWord).join(" ")}
UMask=0077
`;
}

function timer({ name, timezone }: Job, pattern: string): string {
  return `# /etc/systemd/system/auditlake-${name}.timer
[Unit]
Description=auditlake ${name}

[Timer]
OnCalendar=${calendarOf(pattern, timezone)}
Persistent=true

[Install]
WantedBy=timers.target
`;
}

/** The pattern as systemd writes it, for example `Mon *-*-* 02:15:00 Europe/Oslo`. */
export function calendarOf(pattern: string, timezone: string): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = parseCron(pattern);
  const days = dayOfWeek === null ? "" : `${dayOfWeek.map((day) => weekdays[day]).join(",")} `;
  return `${days}*-${list(month)}-${list(dayOfMonth)} ${list(hour)}:${list(minute)}:00 ${timezone}`;
}

function list(field: CronField): string {
  return field === null ? "*" : field.map((value) => String(value).padStart(2, "0")).join(",");
}

function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function unitWord(word: string): string {
  const escaped = unitText(word).replaceAll("$", "$$$$");
  return /^[A-Za-z0-9_./:=@,%$-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function unitText(text: string): string {
  return text.replaceAll("%", "%%");
}
