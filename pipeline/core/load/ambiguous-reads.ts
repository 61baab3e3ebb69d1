import { commandText } from "../../base/command-line.ts";
import type { Manifest } from "../landing/manifests.ts";
import { stampText } from "../../base/time/text.ts";
import type { Loaded } from "./read.ts";

/**
 * Windows whose newest read holds equal records on different pages, some of which stay out until a second read
 * repeats it. A run does that read itself; one that was killed before left it to whoever loads the first.
 */
export type AmbiguousReads = Map<string, Manifest>;

/** Notes what came of a loaded read: its window is ambiguous from then on, or no longer. */
export function noteAmbiguity(
  ambiguousReads: AmbiguousReads,
  manifest: Manifest,
  { repeats, result }: Loaded,
): void {
  const { source, window_start: start, window_end: end } = manifest;
  // The records of a file are all certain.
  if (start === null) return;
  const window = [source, start, end].join();
  if (result.ambiguous > 0 && !repeats) ambiguousReads.set(window, manifest);
  else ambiguousReads.delete(window);
}

/** Describes an ambiguous window, with what to do where nobody else reads it again. */
export function ambiguityText({ source, window_start: start, window_end: end }: Manifest): string {
  const [from, to] = [stampText(start!), stampText(end!)];
  return `window ${from} of ${source} holds equal records on different pages, which only a second read tells apart, and the run that was to do it broke off; run ${commandText("ingest", "--source", source, "--from", from, "--to", to)}`;
}
