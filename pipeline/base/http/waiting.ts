type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The earliest time that a service's clock can show; a smaller number is a length of time. */
export const firstServerTimeMs = Date.UTC(2000, 0, 1);

// Services write these headers in several ways: github.com/ietf-wg-httpapi/ratelimit-headers/issues/25.
const remainingNames = ["ratelimit-remaining", "x-ratelimit-remaining", "x-rate-limit-remaining"];
const resetNames = [
  "ratelimit-reset",
  "x-ratelimit-reset",
  "x-rate-limit-reset",
  "x-ratelimit-reset-after",
];
const limitNames = ["ratelimit", "x-ratelimit"];

/**
 * Reads how long an answer requests to wait, milliseconds: by Retry-After, else until an exhausted rate limit is reset.
 * `nowMs` is the service's own clock if it sends one. The reset time of a limit that is not exhausted does not count.
 */
export function readRequestedWaitMs(
  status: number,
  headers: Headers,
  nowMs: number,
): number | undefined {
  const afterMs = waitIn(headers["retry-after"], nowMs);
  if (afterMs !== undefined) return afterMs;
  const remaining = readRemaining(headers);
  const isExhausted = remaining === 0 || (status === 429 && remaining === undefined);
  if (!isExhausted) return undefined;
  const values = [...resetNames.map((name) => headers[name]), ...readLimits(headers, resetMember)];
  return values.map((value) => waitIn(value, nowMs)).find((ms) => ms !== undefined);
}

type Refusal = {
  readonly status: number;
  readonly headers: Headers;
  readonly retryAfterMs: number | undefined;
};

/**
 * Decides whether a status requests a wait that otherwise means something else: 202 with Retry-After, and 403 with
 * Retry-After or an exhausted rate limit.
 */
export function asksForWait({ status, headers, retryAfterMs }: Refusal): boolean {
  if (status !== 202 && status !== 403) return false;
  return retryAfterMs !== undefined || (status === 403 && readRemaining(headers) === 0);
}

const remainingMember = /(?:^|[,;\s])(?:r|remaining)\s*=\s*(\d+)/i;
const resetMember = /(?:^|[,;\s])(?:t|reset)\s*=\s*(\d+)/i;

// Of several limits, the one with the least left.
function readRemaining(headers: Headers): number | undefined {
  const own = remainingNames.flatMap((name) => parseNumbers(headers[name]));
  const found = [...own, ...readLimits(headers, remainingMember).flatMap(parseNumbers)];
  return found.length === 0 ? undefined : Math.min(...found);
}

// Members of a header that names all of a limit: `limit=100, remaining=0, reset=30` or `"default";r=0;t=30`.
function readLimits(headers: Headers, member: RegExp): (string | undefined)[] {
  return limitNames.map((name) => member.exec(String(headers[name] ?? ""))?.[1]);
}

function parseNumbers(value: string | string[] | undefined): number[] {
  return [value ?? []].flat().flatMap((text) => (/^\s*\d+\s*$/.test(text) ? [Number(text)] : []));
}

/**
 * A wait as services write it: seconds from now, a moment in epoch seconds or milliseconds, or a date. A number is a
 * moment where the year that it names is later than 2000, in the larger unit that fits.
 */
function waitIn(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.max(0, computeMoment(Number(text), nowMs) - nowMs);
  // The parser of dates takes many a word with a number for a date.
  const isDate = text.includes(":") && /\d{4}/.test(text);
  const atMs = isDate ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function computeMoment(number: number, nowMs: number): number {
  if (number >= firstServerTimeMs) return number;
  const ms = Math.round(number * 1000);
  return ms >= firstServerTimeMs ? ms : nowMs + ms;
}
