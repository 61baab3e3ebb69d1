import type { Report } from "../../base/report/find.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import type { Manifest } from "../../core/landing/manifests.ts";
import type { ExportMeta } from "../report/meta.ts";
import type { PrunedRead } from "./check-files.ts";
import { Mismatch } from "./verdict.ts";

/** Throws Mismatch for a pruned read whose events the report could use. */
export function refusePruned(
  pruned: readonly PrunedRead[],
  { scope, detection }: Report,
  meta: ExportMeta,
): void {
  const reachMs = detection === undefined ? 0 : Number(detection.reachMs);
  const isUsable = ({ manifest }: PrunedRead): boolean =>
    scope !== "range" || isWithin(manifest, meta, reachMs);
  const used = pruned.find(isUsable);
  if (used !== undefined)
    throw new Mismatch("stored pages pruned", `read ${used.readId} was pruned`);
}

/**
 * Returns whether the window of a read overlaps the range of a report, extended by `reachMs`. Files without a window,
 * reports without a range, and unknown reads always overlap.
 */
export function isWithin(
  read: Pick<Manifest, "window_start" | "window_end"> | undefined,
  { parameters: { since, until } }: ExportMeta,
  reachMs = 0,
): boolean {
  const { window_start: start, window_end: end } = read ?? {};
  if (start == null || end == null || since == null || until == null) return true;
  return (
    fromTimestamp(end) > Date.parse(since) - reachMs && fromTimestamp(start) < Date.parse(until)
  );
}
