import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { parseMoment, parsePeriod } from "../../base/time/times.ts";

/** The flags that say when: a moment and the time around it, or a range. */
export type RangeFlags = {
  readonly at?: string;
  readonly window?: string;
  readonly since?: string;
  readonly until?: string;
  readonly during?: string;
};

/**
 * The half-open range that the flags mean, milliseconds since the epoch. Where nothing else is given, it is two hours
 * around a moment, or the last seven days. Throws UsageError for flags that do not fit each other and for an empty
 * range.
 */
export function rangeOf(
  flags: RangeFlags,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  const { at, window, since, until, during } = flags;
  if (during !== undefined) return whole(during, flags, nowMs);
  if (at === undefined) {
    if (window !== undefined) throw new UsageError("--window is the time around --at; add --at");
    return between(since ?? "7d", until ?? "now", nowMs);
  }
  if (since !== undefined || until !== undefined)
    throw new UsageError("found --at beside --since or --until; expected one or the other");
  const windowMs = parseDuration(window ?? "2h");
  if (windowMs === undefined || windowMs === 0)
    throw new UsageError(
      `--window ${JSON.stringify(window)}: expected a duration such as 2h or 30m`,
    );
  const atMs = parseMoment(at, nowMs);
  return { sinceMs: atMs - windowMs / 2, untilMs: atMs + windowMs / 2 };
}

function whole(
  during: string,
  { at, window, since, until }: RangeFlags,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  if ((at ?? window ?? since ?? until) !== undefined)
    throw new UsageError("found --during beside another range; expected one of them");
  const { startMs, endMs } = parsePeriod(during, nowMs);
  return { sinceMs: startMs, untilMs: endMs };
}

function between(
  since: string,
  until: string,
  nowMs: number,
): { readonly sinceMs: number; readonly untilMs: number } {
  const [sinceMs, untilMs] = [parseMoment(since, nowMs), parseMoment(until, nowMs)];
  if (sinceMs < untilMs) return { sinceMs, untilMs };
  const [from, to] = [sinceMs, untilMs].map((ms) => new Date(ms).toISOString());
  throw new UsageError(
    `since ${from} is not before until ${to}; expected the earlier one as --since`,
  );
}
