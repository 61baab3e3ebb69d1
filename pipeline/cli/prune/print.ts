import { printable } from "../../base/printable.ts";
import { bytesText, countText, plural } from "../../base/terminal/amounts.ts";
import { dayText, fromTimestamp, stampText } from "../../base/time/text.ts";
import { wrappedText } from "../../base/terminal/wrapped.ts";
import type { PrunePlan } from "../../core/prune/plan-prune.ts";

const width = 80;

/** The plan for reading: what would go, what stays, and what rebuild could no longer do. */
export function planText(plan: PrunePlan): string {
  const { reads, stored, events, quarantined, withEvents } = plan;
  const bytes = stored.reduce((sum, file) => sum + file.bytes, 0);
  const files = reads.filter(({ window_start: start }) => start === null).length;
  const ofThat = (count: number, what: string): string =>
    withEvents || count === 0
      ? plural(count, what)
      : `none; ${plural(count, what)} of that time stay`;
  const rows = [
    ["reads", `${countText(reads.length)} of ${countText(reads.length + plan.kept)}`],
    ["windows", windowsText(plan)],
    ["files", countText(files)],
    ["pages", `${plural(stored.length, "file")}, ${bytesText(bytes)} on disk`],
    ["events", ofThat(events, "event")],
    ["quarantine", ofThat(quarantined, "record")],
  ];
  const source = plan.source === null ? "" : ` of source ${printable(plan.source)}`;
  const table = rows.map(([label, text]) => `  ${label!.padEnd(12)}${text}\n`).join("");
  const notes = notesOf(plan).flatMap((note) => wrappedText(note, width));
  return `what is older than ${stampText(plan.before)}${source}\n${table}${notes.map((line) => `${line}\n`).join("")}`;
}

function windowsText({ reads }: PrunePlan): string {
  const windows = new Map(
    reads
      .filter(({ window_start: start }) => start !== null)
      .map((read) => [`${read.source} ${read.window_start} ${read.window_end}`, read]),
  );
  const starts = [...windows.values()].map((read) => read.window_start!).sort();
  const ends = [...windows.values()].map((read) => read.window_end!).sort();
  const day = (stored: string): string => dayText(fromTimestamp(stored));
  const span = starts.length === 0 ? "" : `, ${day(starts[0]!)} to ${day(ends.at(-1)!)}`;
  return `${countText(windows.size)}${span}`;
}

function notesOf(plan: PrunePlan): string[] {
  const { pending, shared, heldBack, straddling } = plan;
  const notes: string[] = [];
  if (pending > 0)
    notes.push(
      `${plural(pending, "read")} landed that the published file does not have: never pruned.`,
    );
  if (shared > 0)
    notes.push(`${plural(shared, "file")} of pages shared with kept reads: they stay.`);
  if (heldBack > 0)
    notes.push(
      `${plural(heldBack, "file")} of pages that no read names: they stay while landing/damaged holds manifests, which somebody may yet repair.`,
    );
  if (plan.withEvents && straddling > 0)
    notes.push(
      `${plural(straddling, "kept read")} with events on both sides: the events of that time go from the database, the pages stay until all of it is old.`,
    );
  if (!plan.withEvents && plan.events > 0)
    notes.push("Events stay in the database; --events removes those of that time, too.");
  if (plan.reads.length > 0) notes.push(afterwards(plan));
  return notes;
}

function afterwards({ before, withEvents }: PrunePlan): string {
  const from = `Afterwards the database can be made anew from landing from ${stampText(before)} on.`;
  return withEvents
    ? `${from} What is older is gone for good; rebuild does not bring it back.`
    : `${from} What is older, rebuild takes from the present database or the published file: from then on those are the only places that have it, so keep a copy.`;
}
