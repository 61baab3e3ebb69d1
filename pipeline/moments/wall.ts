// What clocks on a wall show, as the milliseconds since the epoch at which they would show it in UTC.

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timezone, made);
  return made;
}

/** What clocks of a zone show at a moment. */
export function wallOf(timezone: string, atMs: number): number {
  return atMs + offsetOf(timezone, atMs);
}

// How far clocks are ahead of UTC at a moment, milliseconds.
function offsetOf(timezone: string, atMs: number): number {
  const wholeMs = Math.floor(atMs / 1000) * 1000;
  const parts = formatOf(timezone).formatToParts(wholeMs);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const [year, month, day] = [of("year"), of("month"), of("day")];
  return Date.UTC(year, month - 1, day, of("hour"), of("minute"), of("second")) - wholeMs;
}

/** Whether clocks of a zone are changed within a day of a moment. */
export function isNearChange(timezone: string, atMs: number): boolean {
  const offset = offsetOf(timezone, atMs);
  return [-1, -0.5, 0.5, 1].some((days) => offsetOf(timezone, atMs + days * dayMs) !== offset);
}

/** When clocks of a zone show something: once, twice where they were set back, or never, with the end of that gap. */
export type Shown = { readonly moments: readonly number[]; readonly gapEnd: number | undefined };

/** The moments at which clocks of a zone show what is on the wall. */
export function shownAt(timezone: string, wallMs: number): Shown {
  const [before, after] = [wallMs - dayMs, wallMs + dayMs].map((ms) => offsetOf(timezone, ms));
  const offsets = [...new Set([before!, after!])];
  const moments = offsets
    .map((offset) => wallMs - offset)
    .filter((ms) => wallOf(timezone, ms) === wallMs)
    .toSorted((a, b) => a - b);
  if (moments.length > 0) return { moments, gapEnd: undefined };
  return { moments, gapEnd: changeBetween(timezone, wallMs - after!, wallMs - before!) };
}

// The first moment after clocks were set forward, somewhere between two others.
function changeBetween(timezone: string, fromMs: number, toMs: number): number {
  let [low, high] = [Math.floor(fromMs / 1000) - 1, Math.ceil(toMs / 1000)];
  const offset = offsetOf(timezone, high * 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(timezone, middle * 1000) === offset) high = middle;
    else low = middle;
  }
  return high * 1000;
}
