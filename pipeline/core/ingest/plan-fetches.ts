import type { Confirmable, CoveredInterval } from "../store/ledger/coverage.ts";
import type { WindowState } from "../store/ledger/record.ts";
import { splitIntoWindows } from "../source/windows.ts";
import type { Interval } from "../../base/time/periods.ts";

/** A window to fetch, or a part of a window that was too dense. */
export type PlannedFetch = Interval & {
  /** Where to split it if it is too dense: in parts as long as others are, else as the window before was split. */
  readonly splitsMs: readonly number[];
  /** Where this fetch may make the window final. */
  readonly confirming?: Confirmable | undefined;
};

/**
 * Plans what to fetch in a range, in order of need. Windows without a complete fetch come first, then windows that wait
 * for a second fetch. Windows that are re-read for late events come last. So a run after an interrupted one resumes
 * where that stopped. Windows that were read in parts are planned in these parts. `held` must reach one window further
 * back than the range.
 */
export function planFetches(
  range: Interval,
  windowMs: number,
  held: readonly CoveredInterval[],
): PlannedFetch[] {
  const planned = splitIntoWindows(range, windowMs).flatMap((window) => {
    const before = selectInside(held, shiftInterval(window, -windowMs));
    const asBefore = before.slice(1).map((part) => part.startMs + windowMs);
    const pieces = splitIntoPieces(window, held);
    const read = pieces.filter(({ state }) => state !== "unread" && state !== "open");
    return pieces.map((piece) => {
      const isRest = pieces.length > 1 && !read.includes(piece);
      return { ...piece, splitsMs: isRest ? listSteps(piece, findLongest(read)) : asBefore };
    });
  });
  return planned
    .sort((a, b) => need[a.state] - need[b.state] || a.startMs - b.startMs)
    .map(({ startMs, endMs, splitsMs }) => ({ startMs, endMs, splitsMs }));
}

const need = { unread: 0, open: 0, closed: 1, gap: 1, accepted: 2, finalized: 2 } as const;

type Piece = Interval & { readonly state: WindowState | "unread" };

// The parts in which a window was read, with the gaps between them; the window itself if it was not split.
function splitIntoPieces(window: Interval, held: readonly CoveredInterval[]): Piece[] {
  const touching = held.filter((h) => h.endMs > window.startMs && h.startMs < window.endMs);
  const parts = selectInside(held, window);
  const pieces: Piece[] = [];
  let atMs = window.startMs;
  for (const interval of touching) {
    if (interval.startMs > atMs)
      pieces.push({ startMs: atMs, endMs: interval.startMs, state: "unread" });
    const startMs = Math.max(interval.startMs, window.startMs);
    atMs = Math.min(interval.endMs, window.endMs);
    pieces.push({ startMs, endMs: atMs, state: interval.state });
  }
  if (atMs < window.endMs) pieces.push({ startMs: atMs, endMs: window.endMs, state: "unread" });
  if (parts.length > 0) return pieces;
  const state = pieces.map((piece) => piece.state).sort((a, b) => need[a] - need[b])[0]!;
  return [{ ...window, state }];
}

// A run that was stopped in the midst of a dense window has shown how long its parts may be.
function listSteps({ startMs, endMs }: Interval, stepMs: number): number[] {
  const count = stepMs > 0 ? Math.ceil((endMs - startMs) / stepMs) - 1 : 0;
  return Array.from({ length: count }, (_, i) => startMs + (i + 1) * stepMs);
}

function findLongest(parts: readonly Interval[]): number {
  return Math.max(0, ...parts.map(({ startMs, endMs }) => endMs - startMs));
}

function selectInside(held: readonly CoveredInterval[], window: Interval): CoveredInterval[] {
  const length = window.endMs - window.startMs;
  return held.filter(
    (h) => h.startMs >= window.startMs && h.endMs <= window.endMs && h.endMs - h.startMs < length,
  );
}

function shiftInterval({ startMs, endMs }: Interval, byMs: number): Interval {
  return { startMs: startMs + byMs, endMs: endMs + byMs };
}
