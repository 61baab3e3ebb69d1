import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { splitDueWindows } from "../../../../pipeline/core/ingest/plan.ts";
import type { NamedSource } from "../../../../pipeline/base/home/settings.ts";

const { a } = configSchema.parse({ sources: { a: {} } }).sources;
const listDue = (from: string, to: string, window: number): string[] => {
  const range = { startMs: Date.parse(from), endMs: Date.parse(to) };
  const source = { ...a!, name: "prod", window } as NamedSource;
  return splitDueWindows(range, source).map(({ endMs }) => new Date(endMs).toISOString());
};
const dayMs = 86_400_000;

it("the windows of the last complete day that can be stored are planned, and of the first", () => {
  expect(listDue("9999-12-30T05:00:00Z", "9999-12-31T00:00:00Z", dayMs)).toEqual([
    "9999-12-31T00:00:00.000Z",
  ]);
  expect(listDue("0000-01-01T05:00:00Z", "0000-01-01T06:00:00Z", dayMs)).toEqual([
    "0000-01-02T00:00:00.000Z",
  ]);
});

it("a range is refused if its windows end after the last time that can be stored, or start before the first", () => {
  expect(() => listDue("9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z", dayMs)).toThrow(
    "9999-12-31T00:00:00Z to 9999-12-31T23:59:59Z of source prod in windows of 1 d is 9999-12-31T00:00:00Z to +010000-01-01T00:00:00Z; expected years from 0 to 9999; choose a shorter range",
  );
  expect(() => listDue("0000-01-01T00:00:00Z", "0000-01-01T06:00:00Z", 7 * dayMs)).toThrow(
    "expected years from 0 to 9999",
  );
});

it("too many windows for one plan are refused, with their number and what to do", () => {
  const of = (seconds: number): string[] =>
    listDue("1970-01-01T00:00:00Z", new Date(seconds * 1000).toISOString(), 1000);
  expect(of(250_000)).toHaveLength(250_000);
  expect(() => of(250_001)).toThrow(
    "1970-01-01T00:00:00Z to 1970-01-03T21:26:41Z of source prod is 250,001 windows of 1 s, expected 250,000 at most; set a longer sources.prod.window, or choose a shorter range",
  );
});
