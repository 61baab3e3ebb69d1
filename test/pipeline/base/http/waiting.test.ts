import { describe, expect, it } from "vitest";
import { asksForWait, readRequestedWaitMs } from "../../../../pipeline/base/http/waiting.ts";

const nowMs = Date.UTC(2026, 2, 1, 12);
const inSeconds = (seconds: number): number => nowMs / 1000 + seconds;
const after = (headers: Record<string, string>, status = 429): number | undefined =>
  readRequestedWaitMs(status, headers, nowMs);

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    [" 12 ", 12_000],
    ["1.5", 1500],
    ["Sun, 01 Mar 2026 12:00:05 GMT", 5000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["2026-03-01T12:00:30Z", 30_000],
    [String(inSeconds(7)), 7000],
  ])("%j is a wait of %i ms", (value, ms) => {
    for (const status of [202, 403, 429, 503])
      expect(after({ "retry-after": value }, status)).toBe(ms);
  });

  it.each(["soon", "", "-1", "in 5", "5 s", "1;2000:"])("%j is ignored", (value) => {
    expect(after({ "retry-after": value })).toBeUndefined();
  });

  it("counts before the reset of a limit", () => {
    expect(after({ "retry-after": "3", "x-ratelimit-reset": "60" })).toBe(3000);
  });
});

describe("a rate limit that is exhausted", () => {
  const moments = [
    ["seconds from now", "25"],
    ["fractions of a second", "25.000"],
    ["epoch seconds", String(inSeconds(25))],
    ["epoch seconds with a fraction", `${inSeconds(25)}.0`],
    ["epoch milliseconds", String(nowMs + 25_000)],
    ["ISO 8601", new Date(nowMs + 25_000).toISOString()],
    ["a date of HTTP", new Date(nowMs + 25_000).toUTCString()],
  ] as const;
  const names = [
    ["ratelimit-remaining", "ratelimit-reset"],
    ["x-ratelimit-remaining", "x-ratelimit-reset"],
    ["x-rate-limit-remaining", "x-rate-limit-reset"],
    ["x-ratelimit-remaining", "x-ratelimit-reset-after"],
  ] as const;

  it.each(names.flatMap((pair) => moments.map((moment) => [...pair, ...moment] as const)))(
    "%s 0 waits for %s in %s",
    (remaining, reset, _form, value) => {
      for (const status of [403, 429, 503])
        expect(after({ [remaining]: "0", [reset]: value }, status)).toBe(25_000);
    },
  );

  it.each(["limit=100, remaining=0, reset=25", '"default";r=0;t=25', "r=0, t=25"])(
    "waits for its reset in one header: %s",
    (value) => {
      expect(after({ ratelimit: value }, 403)).toBe(25_000);
      expect(asksForWait({ status: 403, headers: { ratelimit: value }, retryAfterMs: 1 })).toBe(
        true,
      );
    },
  );

  it("is one that 429 does not count", () => {
    expect(after({ "x-ratelimit-reset": "25" }, 429)).toBe(25_000);
    expect(after({ "x-ratelimit-reset": "25" }, 503)).toBeUndefined();
    expect(after({ "x-ratelimit-reset": "25", "x-ratelimit-remaining": "9" })).toBeUndefined();
  });

  it("is over where its reset has passed", () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(inSeconds(-5)) };
    expect(after(headers, 403)).toBe(0);
  });
});

describe("a status with headers of a rate limit", () => {
  const asks = (status: number, headers: Record<string, string>): boolean =>
    asksForWait({ status, headers, retryAfterMs: readRequestedWaitMs(status, headers, nowMs) });

  it("is a wait by its headers alone", () => {
    const all = Array.from({ length: 500 }, (_, i) => 100 + i);
    const isWait = (headers: Record<string, string>): number[] =>
      all.filter((status) => asks(status, headers));
    expect(isWait({})).toEqual([]);
    expect(isWait({ "retry-after": "1" })).toEqual([202, 403]);
    expect(isWait({ "x-ratelimit-remaining": "0" })).toEqual([403]);
    expect(isWait({ "x-ratelimit-remaining": "1", "x-ratelimit-reset": "9" })).toEqual([]);
    expect(isWait({ "x-ratelimit-remaining": "none" })).toEqual([]);
  });
});
