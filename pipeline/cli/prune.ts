import type { Command } from "commander";
import { existsSync } from "node:fs";
import { AuditlakeError, exitCode, UsageError } from "../base/errors.ts";
import { refuseLost } from "../adapters/lake/prune-guard.ts";
import { listOldStores } from "../base/home/layout.ts";
import { carryOutPrune, type PruneResult, removeOldStores } from "../core/prune/prune-reads.ts";
import { newStreamSink } from "../answers/report/result.ts";
import { formatDay, fromTimestamp, stampText, toTimestamp } from "../base/time/text.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { parseMoment } from "../base/time/times.ts";
import type { World } from "../base/world.ts";
import { confirmChange } from "../base/terminal/confirm.ts";
import { planPrune, type PrunePlan } from "../core/prune/plan-prune.ts";
import { formatBytes, countText, formatCount, wrapText } from "../base/terminal/amounts.ts";
import { escapeControls } from "../base/printable.ts";

type Flags = {
  readonly before?: string;
  readonly oldStore?: true;
  readonly events?: true;
  readonly dryRun?: true;
  readonly yes?: true;
};

const notes = `
A window counts by its end, an imported file by its latest event. Reads that are not loaded yet are never
pruned, and pages that a retained read shares are retained. landing/pruned and the tables prunes and
pruned_reads record each prune: rebuild takes the events of pruned reads from the current database, and
refuses if no database has them. With --events they are removed together with the quarantined records of
that time, and the database file is rewritten without remains. User lists and policies are retained.

With a lake in the configuration, --events refuses while data to be removed is not in the lake, or the lake
is unavailable: run lake publish first. The removed events stay in the lake. Events that derived tables need
are retained here, too: permission events, ids with several events, and jobs with later events or without an
end (30 days at most). Without a lake in the configuration it refuses if the home has published days to one,
until the folder lake of the home is removed.

--old-store removes the version 1 database that an upgrade retained; nothing uses it.

On a terminal it asks for confirmation; elsewhere it needs --yes.

Examples:
  auditlake prune --before 365d --dry-run
  auditlake prune --before 2025-01-01 --yes
  auditlake prune --before 2025-01-01 --events --yes
  auditlake prune --old-store --yes`;

/** Registers `prune`. */
export function prune(program: Command, world: World): void {
  program
    .command("prune")
    .description("remove raw pages older than a time; with --events also their events")
    .option("--before <time>", "remove older data; a date, RFC 3339, or 365d")
    .option("--events", "also remove the events and quarantined records of that time")
    .option("--old-store", "remove the database of an earlier version that an upgrade retained")
    .option("--dry-run", "print what would be removed and stop")
    .option("--yes", "do not ask for confirmation")
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const print: Print = settings.flags.quiet
        ? () => undefined
        : (text) => void world.stderr.write(text);
      if (flags.oldStore) return pruneOldStores(settings, flags, world, print);
      const scope = buildScope(flags, settings, world);
      const request = { scope, withEvents: flags.events === true, guard: refuseLost };
      const plan = await planPrune(settings, request, world);
      if (flags.dryRun) return newStreamSink(world.stdout)(`would remove ${planText(plan)}`);
      print(`removing ${planText(plan)}`);
      if (isEmpty(plan)) return print("nothing to remove\n");
      await agreeToPrune(flags.yes === true, world);
      const shown = new Set(plan.reads.map(({ read_id: id }) => id));
      print(formatDone(plan, await carryOutPrune(settings, request, shown, world)));
    });
}

type Print = (text: string) => void;
type Scope = Parameters<typeof planPrune>[1]["scope"];

async function pruneOldStores(
  settings: Settings,
  flags: Flags,
  world: World,
  print: Print,
): Promise<void> {
  if (flags.before !== undefined || flags.events)
    throw new UsageError("--old-store cannot be combined with --before; prune twice");
  const stores = existsSync(settings.home.root) ? listOldStores(settings.home) : [];
  if (stores.length === 0) return print("no old database to remove\n");
  const what = stores.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`).join(", ");
  if (flags.dryRun) return newStreamSink(world.stdout)(`would remove ${what}\n`);
  print(`removing ${what}\n`);
  await agreeToPrune(flags.yes === true, world);
  await removeOldStores(settings, stores, world);
}

function buildScope({ before }: Flags, { flags }: Settings, world: World): Scope {
  if (before === undefined)
    throw new UsageError("prune needs --before TIME, such as 365d, or --old-store");
  const beforeMs = parseMoment(before, world.now());
  if (beforeMs > world.now())
    throw new UsageError(`--before ${before} is in the future; expected a time in the past`);
  return {
    before: toTimestamp(beforeMs),
    source: flags.source ?? world.env["AUDITLAKE_SOURCE"] ?? null,
  };
}

function formatDone(
  { before, withEvents }: PrunePlan,
  { reads, events, stored }: PruneResult,
): string {
  const bytes = stored.reduce((sum, file) => sum + file.bytes, 0);
  const gone = withEvents ? `, ${formatCount(events, "event")}` : "";
  return `pruned ${formatCount(reads, "read")}, ${formatCount(stored.length, "file")} of pages (${formatBytes(bytes)})${gone}; the database can be rebuilt from landing from ${stampText(before)} on\n`;
}

function isEmpty({ reads, stored, withEvents, events, quarantined }: PrunePlan): boolean {
  const old = withEvents ? events + quarantined : 0;
  return reads.length + stored.length + old === 0;
}

async function agreeToPrune(yes: boolean, world: World): Promise<void> {
  if (yes) return;
  if (world.stdin.isTTY !== true)
    throw new UsageError("nothing was removed: without a terminal, prune needs --yes");
  if (await confirmChange("Remove it?", world)) return;
  const code = world.signal.aborted ? exitCode.interrupted : exitCode.failed;
  throw new AuditlakeError("nothing was removed", code);
}

const width = 80;

/** The plan for reading: what would go, what stays, and what rebuild could no longer do. */
export function planText(plan: PrunePlan): string {
  const { reads, stored, events, quarantined, withEvents } = plan;
  const bytes = stored.reduce((sum, file) => sum + file.bytes, 0);
  const files = reads.filter(({ window_start: start }) => start === null).length;
  const formatCountOf = (count: number, what: string): string =>
    withEvents || count === 0
      ? formatCount(count, what)
      : `none; ${formatCount(count, what)} of that time retained`;
  const rows = [
    ["reads", `${countText(reads.length)} of ${countText(reads.length + plan.kept)}`],
    ["windows", formatWindows(plan)],
    ["files", countText(files)],
    ["pages", `${formatCount(stored.length, "file")}, ${formatBytes(bytes)} on disk`],
    ["events", formatCountOf(events, "event")],
    ["quarantine", formatCountOf(quarantined, "record")],
  ];
  const source = plan.source === null ? "" : ` of source ${escapeControls(plan.source)}`;
  const table = rows.map(([label, text]) => `  ${label!.padEnd(12)}${text}\n`).join("");
  const notes = listNotes(plan).flatMap((note) => wrapText(note, width));
  return `data older than ${stampText(plan.before)}${source}\n${table}${notes.map((line) => `${line}\n`).join("")}`;
}

function formatWindows({ reads }: PrunePlan): string {
  const windows = new Map(
    reads
      .filter(({ window_start: start }) => start !== null)
      .map((read) => [`${read.source} ${read.window_start} ${read.window_end}`, read]),
  );
  const starts = [...windows.values()].map((read) => read.window_start!).sort();
  const ends = [...windows.values()].map((read) => read.window_end!).sort();
  const formatDayOf = (stored: string): string => formatDay(fromTimestamp(stored));
  const span =
    starts.length === 0 ? "" : `, ${formatDayOf(starts[0]!)} to ${formatDayOf(ends.at(-1)!)}`;
  return `${countText(windows.size)}${span}`;
}

function listNotes(plan: PrunePlan): string[] {
  const { pending, shared, heldBack, straddling } = plan;
  const notes: string[] = [];
  if (pending > 0)
    notes.push(
      `${formatCount(pending, "read")} stored but not in the published file: never pruned.`,
    );
  if (shared > 0)
    notes.push(`${formatCount(shared, "file")} of pages shared with retained reads: not removed.`);
  if (heldBack > 0)
    notes.push(
      `${formatCount(heldBack, "file")} of pages without a read: retained while landing/damaged has manifests that could be repaired.`,
    );
  if (plan.withEvents && straddling > 0)
    notes.push(
      `${formatCount(straddling, "retained read")} with events on both sides: the events of that time are removed from the database, the pages stay until all events are older.`,
    );
  if (!plan.withEvents && plan.events > 0)
    notes.push("Events stay in the database; --events also removes the events of that time.");
  if (plan.reads.length > 0) notes.push(adviseAfterwards(plan));
  return notes;
}

function adviseAfterwards({ before, withEvents }: PrunePlan): string {
  const from = `Afterwards the database can be rebuilt from landing from ${stampText(before)} on.`;
  return withEvents
    ? `${from} Older data is deleted permanently; rebuild does not restore it.`
    : `${from} Older data is then only in the current database and the published file, from which rebuild takes it: keep a copy.`;
}
