import { UsageError } from "../../base/errors.ts";
import { type Call, quoteWord, quoteWords } from "../../base/command-line.ts";
import type { Job } from "./job.ts";
import { type CronField, parseCron } from "../../../schemas/cron.ts";

/** A job that has a time, and its five fields. */
export type TimedJob = { readonly job: Job; readonly pattern: string };

export function listTimed(jobs: readonly Job[]): TimedJob[] {
  return jobs.flatMap((job) =>
    job.rule.pattern === null ? [] : [{ job, pattern: job.rule.pattern }],
  );
}

/** What follows the program's own words where cron or systemd starts a job. */
export function buildTimerWords(job: string): string[] {
  return ["--quiet", "schedule", "run", "--scheduled", job];
}

/** Throws UsageError for a path that a crontab or unit cannot contain: a line break would start another line. */
export function refuseUnprintable({ words, folder }: Call): void {
  const found = [folder, ...words].find((word) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(word));
  if (found !== undefined)
    throw new UsageError(
      `${JSON.stringify(found)} contains a line break or control character, which crontabs and units do not allow; move it`,
    );
}

/** Lines for a crontab, jobs without scheduled time left out. Throws UsageError on a path that no line can hold. */
export function writeCrontab(jobs: readonly Job[], call: Call): string {
  refuseBackslash(call);
  const byZone = Map.groupBy(listTimed(jobs), ({ job }) => job.timezone);
  const blocks = [...byZone].map(([timezone, all]) => {
    const lines = all.map(
      ({ job, pattern }) => `# ${job.name}\n${pattern}  ${writeCronCommand(job, call)}`,
    );
    return [`CRON_TZ=${timezone}`, ...lines].join("\n");
  });
  const note =
    "# Check that your cron supports CRON_TZ; otherwise it uses the time zone of the machine.";
  return `${[note, ...blocks].join("\n")}\n`;
}

// Whether a backslash before another one, or before a percent sign, stays is not the same in every cron.
function refuseBackslash({ words, folder }: Call): void {
  const found = [folder, ...words].find((word) => word.includes("\\"));
  if (found !== undefined)
    throw new UsageError(
      `${found} contains a backslash, which cron implementations read differently; move it, or use --systemd`,
    );
}

// A percent sign ends the command in a crontab.
function writeCronCommand({ name }: Job, { words, folder }: Call): string {
  const command = quoteWords([...words, ...buildTimerWords(name)]);
  return `cd ${quoteWord(folder)} && ${command}`.replaceAll("%", "\\%");
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const folderOfUnits = "/etc/systemd/system";

/**
 * Writes units for systemd, each under a comment with its file name: a service and a timer for each job with a time,
 * and a service that reports failed services. They run as the given user.
 */
export function writeSystemd(jobs: readonly Job[], call: Call, user: string): string {
  const units = listTimed(jobs).flatMap(({ job, pattern }) => [
    writeService(job, call, user),
    writeTimer(job, pattern),
  ]);
  return [note(user), ...units, writeFailedService(call, user)].join("\n");
}

function note(user: string): string {
  return `# To install them as user units in ~/.config/systemd/user: remove the lines with User= and network-online.target,
# and run loginctl enable-linger ${user}, so that the timers run while you are logged out.
`;
}

function writeService({ name }: Job, call: Call, user: string): string {
  return `# ${folderOfUnits}/auditlake-${name}.service
[Unit]
Description=auditlake ${name}
Wants=network-online.target
After=network-online.target
OnFailure=auditlake-failed@${name}.service

[Service]
Type=oneshot
${writeExecution(call, buildTimerWords(name).map(escapeUnitWord), user)}
# An orderly stop, as by systemctl stop, is not a failure.
SuccessExitStatus=130
KillMode=mixed
`;
}

// Reports what a killed or unstarted service cannot report itself.
function writeFailedService(call: Call, user: string): string {
  return `# ${folderOfUnits}/auditlake-failed@.service
[Unit]
Description=auditlake notifies that %i failed

[Service]
Type=oneshot
${writeExecution(call, ["--quiet", "schedule", "failed", "%i"], user)}
`;
}

function writeExecution({ words, folder }: Call, rest: readonly string[], user: string): string {
  const [program = "", ...own] = words;
  // The colon preserves dollar signs.
  const line = [escapeUnitWord(`:${program}`), ...own.map(escapeUnitWord), ...rest].join(" ");
  return `User=${user}
WorkingDirectory=${escapeUnitPath(folder)}
ExecStart=${line}
UMask=0077`;
}

function writeTimer({ name, timezone }: Job, pattern: string): string {
  return `# ${folderOfUnits}/auditlake-${name}.timer
[Unit]
Description=auditlake ${name}

[Timer]
OnCalendar=${formatCalendar(pattern, timezone)}
Persistent=true

[Install]
WantedBy=timers.target
`;
}

/** The pattern as systemd writes it, for example `Mon *-*-* 02:15:00 Europe/Oslo`. */
export function formatCalendar(pattern: string, timezone: string): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = parseCron(pattern);
  const days = dayOfWeek === null ? "" : `${dayOfWeek.map((day) => weekdays[day]).join(",")} `;
  return `${days}*-${list(month)}-${list(dayOfMonth)} ${list(hour)}:${list(minute)}:00 ${timezone}`;
}

function list(field: CronField): string {
  return field === null ? "*" : field.map((value) => String(value).padStart(2, "0")).join(",");
}

function escapeUnitWord(word: string): string {
  const escaped = word.replaceAll("%", "%%");
  return /^[A-Za-z0-9_./:=@,%-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

// A path is used unchanged; a final slash prevents a blank or backslash as the line's last character.
function escapeUnitPath(path: string): string {
  const escaped = path.replaceAll("%", "%%");
  return /[\s\\]$/.test(escaped) ? `${escaped}/` : escaped;
}
