import { UsageError } from "../../base/errors.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { type Interval, isStorable } from "../../base/time/periods.ts";
import { secondText } from "../../base/time/text.ts";
import { windowsOf } from "../source/windows.ts";
import { countText, durationText } from "../../base/terminal/amounts.ts";

// They are planned all at once, in memory; a look-back of two days in seconds is 172,800.
const mostWindows = 250_000;

/**
 * The windows of a source that cover a range. Throws UsageError where one reaches beyond the times that can be stored,
 * and where there are more than can be planned at once.
 */
export function dueWindows(range: Interval, { name, window: windowMs }: NamedSource): Interval[] {
  const startMs = Math.floor(range.startMs / windowMs) * windowMs;
  const count = Math.max(0, Math.ceil((range.endMs - startMs) / windowMs));
  const whole = { startMs, endMs: startMs + count * windowMs };
  if (!isStorable(whole))
    throw new UsageError(
      `${rangeText(range)} of source ${name} in windows of ${durationText(windowMs / 1000)} is ${rangeText(whole)}; expected all of it within the years 0 to 9999; choose a shorter range`,
    );
  if (count > mostWindows)
    throw new UsageError(
      `${rangeText(range)} of source ${name} is ${countText(count)} windows of ${durationText(windowMs / 1000)}, expected ${countText(mostWindows)} at most; set a longer sources.${name}.window, or choose a shorter range`,
    );
  return windowsOf(range, windowMs);
}

const rangeText = ({ startMs, endMs }: Interval): string =>
  `${secondText(startMs)} to ${secondText(endMs)}`;
