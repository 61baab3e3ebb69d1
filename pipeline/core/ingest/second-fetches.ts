import { fromTimestamp } from "../../base/time/text.ts";
import type { Manifest } from "../landing/manifests.ts";
import { ambiguityText } from "../load/ambiguous-reads.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Due } from "./due.ts";

/** What a run does about windows with ambiguous reads of an earlier run. */
export type SecondFetches = {
  /** What it reads itself, beside what is due. */
  readonly planned: readonly PlannedFetch[];
  /** What to print before it does: a kill of this run leaves nobody who knows of them. */
  readonly warnings: readonly string[];
  /** Windows of other sources, which it cannot read. */
  readonly failures: readonly string[];
};

/** What the run of one source leaves to those after it. */
export type Across = {
  readonly ambiguous: Manifest[];
  /** Sources that are still to be read. */
  readonly coming: Set<string>;
};

/** Plans the second fetches that are not due anyway; those of sources to come are left to them. */
export function secondFetches(
  found: readonly Manifest[],
  source: NamedSource,
  { windows }: Due,
  across: Across,
): SecondFetches {
  const ambiguous = [
    ...across.ambiguous,
    ...found.filter((each) => !across.coming.has(each.source)),
  ];
  across.ambiguous.push(...found.filter((each) => across.coming.has(each.source)));
  const [startMs, endMs] = [windows[0]?.startMs ?? Infinity, windows.at(-1)?.endMs ?? -Infinity];
  const own = ambiguous
    .filter((manifest) => manifest.source === source.name)
    .map((manifest) => ({ manifest, window: windowOf(manifest) }))
    .filter(({ window }) => window.startMs < startMs || window.endMs > endMs);
  // A window of a scheduled run is not finalized, so the next run of that source reads it again.
  const others = found.filter(
    ({ source: of, nightly: isScheduledRun }) =>
      of !== source.name && !isScheduledRun && !across.coming.has(of),
  );
  return {
    planned: own.map(({ window }) => window),
    warnings: own.map(({ manifest }) => `${ambiguityText(manifest)}, unless this run does it now`),
    failures: others.map(ambiguityText),
  };
}

function windowOf({ window_start: start, window_end: end }: Manifest): PlannedFetch {
  const [startMs, endMs] = [start!, end!].map(fromTimestamp);
  return { startMs: startMs!, endMs: endMs!, splitsMs: [] };
}
