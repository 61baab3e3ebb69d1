import { type Command, Option } from "commander";
import { UsageError } from "../base/errors.ts";
import { formats } from "../answers/report/formats.ts";
import { findReports, selectReports } from "../base/report/find.ts";
import { planRun, type RunFlags } from "../answers/ask/plan-run.ts";
import { escapeControls } from "../base/printable.ts";
import {
  type RangeFlags,
  resolveSubject,
  buildTimelineParams,
} from "../answers/investigate/resolve.ts";
import { type SubjectKind, subjectKinds } from "../answers/investigate/subject.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { runPlan } from "./report/run.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { limitOption, withTextOptions } from "./output-flags.ts";

type Flags = RangeFlags &
  Pick<RunFlags, "format" | "out" | "raw" | "limit" | "meta" | "header" | "separator"> & {
    readonly [kind in SubjectKind]?: string;
  } & { readonly days?: string };

const notes = `
One row per event, oldest first: actions and denials, permission changes that affect the
subject (also through a policy), and query jobs with text, tables and result. session
numbers the activity of one user without a pause of half an hour. first_seen marks what
is new compared with the --days before: from this address, on this database, by this
operation; "of anyone" means new for all users.

Name a user by id, e-mail, previous e-mail, or a unique part of a name or e-mail; a
resource by id, name or path. A database includes its contents. A job is shown from its
issue on. The same data is available as reports: user_timeline, address_timeline and so on.

Examples:
  auditlake investigate --user rosa.olsen --at 2026-11-17T15:00 --window 2h
  auditlake investigate --address 192.0.2.202 --since 30d --out address.csv
  auditlake investigate --resource sales.orders --since 2026-11-01 --format json
  auditlake investigate --job 123456`;

/** Registers `investigate`: everything about one user, address, resource or job on a timeline. */
export function investigate(program: Command, world: World): void {
  const verb = program
    .command("investigate")
    .description("show a timeline of a user, an address, a resource or a job")
    .option("--user <user>", "actions by and on this user")
    .option("--address <address>", "activity from this address")
    .option("--resource <name>", "actions on this resource")
    .option("--job <job>", "course of this job")
    .option("--at <time>", "moment in the middle of the range")
    .option("--window <duration>", "with --at: length of the range (2h)")
    .option("--since <time>", "start of the range, inclusive (7d)")
    .option("--until <time>", "end of the range, exclusive (now)")
    .option("--during <period>", "a period: yesterday, 2026-10, monday, last month and so on")
    .option("--days <days>", "days before the range that first_seen compares with (30)")
    .addOption(new Option("--format <format>", "output format").choices(formats))
    .option("--out <file>", "write to this file; - is standard output")
    .option("--meta", "also write FILE.meta.json: report, parameters, rows, end of the data")
    .addOption(limitOption());
  withTextOptions(verb)
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) =>
      run(flags, readSettings(command.optsWithGlobals(), world), world),
    );
}

async function run(flags: Flags, settings: Settings, world: World): Promise<number> {
  const [kind, text] = chooseSubject(flags);
  const resolved = await resolveSubject({ kind, text, flags }, settings, world.now(), world.signal);
  const { subject } = resolved;
  const others = subject.others.length === 0 ? "" : ` (also ${subject.others.join(", ")})`;
  const print = plainPrinter(world, settings.flags);
  print(escapeControls(`${kind} ${subject.value}${others}`));
  const name = `${kind}_timeline`;
  const days = flags.days === undefined ? [] : [["days", flags.days] as const];
  const given = [...buildTimelineParams(kind, resolved), ...days];
  const param = given.map(([key, value]) => `${key}=${value}`);
  const reports = selectReports(findReports().reports, [name]);
  const { since: _since, until: _until, during: _during, ...output } = flags;
  return await runPlan(
    planRun(reports, [name], { ...output, param }, world.now()),
    flags,
    settings,
    world,
  );
}

function chooseSubject(flags: Flags): readonly [SubjectKind, string] {
  const given = subjectKinds.filter((kind) => flags[kind] !== undefined);
  const [kind] = given;
  if (kind !== undefined && given.length === 1) return [kind, flags[kind]!];
  const found = given.length === 0 ? "none" : given.map((each) => `--${each}`).join(" and ");
  throw new UsageError(`found ${found}; expected one of --user, --address, --resource and --job`);
}
