import { countText, plural } from "../terminal/amounts.ts";
import type { FileCounts } from "./load-files.ts";

/** Prints the counts of each file, a line each; in a quiet run only those with unreadable records. */
export function printCounts(
  counts: readonly FileCounts[],
  ms: number,
  isQuiet: boolean,
  print: (line: string) => void,
): void {
  if (isQuiet) {
    for (const { file, quarantined } of counts.filter((one) => one.quarantined > 0))
      print(
        `warning: ${file}: ${plural(quarantined, "record")} could not be read and went to the quarantine; see auditlake status`,
      );
    return;
  }
  const duration = durationText(counts, ms);
  const [only, ...others] = counts;
  if (only !== undefined && others.length === 0) return print(`${countsText(only)}, ${duration}`);
  for (const one of counts) print(countsText(one));
  print(`${plural(counts.length, "file")} ${duration}`);
}

function countsText({ file, fetched, inserted, duplicate, quarantined }: FileCounts): string {
  const kept = quarantined > 0 ? `, ${quarantined} quarantined (see auditlake status)` : "";
  return `${file}: ${plural(fetched, "record")}, ${countText(inserted)} new, ${plural(duplicate, "duplicate")}${kept}`;
}

function durationText(counts: readonly FileCounts[], ms: number): string {
  const records = counts.reduce((sum, { fetched }) => sum + fetched, 0);
  const rate = Math.round(records / Math.max(ms / 1000, 0.001));
  return `in ${(ms / 1000).toFixed(1)} s (${countText(rate)} per second)`;
}
