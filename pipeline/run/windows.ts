import type { Window } from "../source/audits.ts";

/** The windows of a grid that cover a range, oldest first; the grid starts at the epoch, in UTC. */
export function windowsOf(range: Window, windowMs: number): Window[] {
  const first = Math.floor(range.startMs / windowMs) * windowMs;
  const count = Math.max(0, Math.ceil((range.endMs - first) / windowMs));
  return Array.from({ length: count }, (_, i) => ({
    startMs: first + i * windowMs,
    endMs: first + (i + 1) * windowMs,
  }));
}

/** The nightly range: from the oldest of (checkpoint, now − look-back) to now. */
export function nightlyRange(
  sealedUntilMs: number | undefined,
  lookbackMs: number,
  nowMs: number,
): Window {
  return { startMs: Math.min(sealedUntilMs ?? Infinity, nowMs - lookbackMs), endMs: nowMs };
}
