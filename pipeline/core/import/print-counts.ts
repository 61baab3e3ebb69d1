import { commandText } from "../../base/command-line.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";
import type { FileCounts } from "./load-files.ts";

/** Prints the counts of each file, a line each; in a quiet run only what is wrong with them. */
export function printCounts(
  counts: readonly FileCounts[],
  ms: number,
  isQuiet: boolean,
  print: (line: string) => void,
): void {
  const duration = durationText(counts, ms);
  const [only, ...others] = counts;
  if (!isQuiet)
    if (only !== undefined && others.length === 0) print(`${countsText(only)}, ${duration}`);
    else {
      for (const one of counts) print(countsText(one));
      print(`${plural(counts.length, "file")} ${duration}`);
    }
  for (const one of counts) for (const note of notesOn(one, isQuiet)) print(note);
}

/** Whether a file has records and none of them could be read. */
export function isUnusable({ fetched, quarantined }: FileCounts): boolean {
  return fetched > 0 && quarantined === fetched;
}

function notesOn(counts: FileCounts, isQuiet: boolean): string[] {
  const { file, fetched, quarantined, nameless } = counts;
  const notes: string[] = [];
  if (isUnusable(counts))
    notes.push(
      `error: ${file}: ${plural(fetched, "record")}, and none of them could be read; see the reasons: ${commandText("sql", "select reason, record_text from quarantine")}`,
    );
  else if (quarantined > 0 && isQuiet)
    notes.push(
      `warning: ${file}: ${plural(quarantined, "record")} could not be read and went to the quarantine; see ${commandText("status")}`,
    );
  if (nameless > 0)
    notes.push(
      `warning: ${file}: ${plural(nameless, "new record")} without an event_name; check whether they are events of the audit log`,
    );
  return notes;
}

function countsText({ file, fetched, inserted, duplicate, quarantined }: FileCounts): string {
  const kept = quarantined > 0 ? `, ${quarantined} quarantined (see ${commandText("status")})` : "";
  return `${file}: ${plural(fetched, "record")}, ${countText(inserted)} new, ${plural(duplicate, "duplicate")}${kept}`;
}

function durationText(counts: readonly FileCounts[], ms: number): string {
  const records = counts.reduce((sum, { fetched }) => sum + fetched, 0);
  const rate = Math.round(records / Math.max(ms / 1000, 0.001));
  return `in ${(ms / 1000).toFixed(1)} s (${countText(rate)} per second)`;
}
