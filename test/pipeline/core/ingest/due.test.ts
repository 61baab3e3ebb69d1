import { expect, it } from "vitest";
import { backfillRange } from "../../../../pipeline/core/ingest/plan.ts";

const dayMs = 86_400_000;
const start = Date.UTC(2026, 2, 1);

it("a range has a start, and starts before it ends", () => {
  const range = (from?: string, to?: string): unknown =>
    backfillRange({ ...(from && { from }), ...(to && { to }) }, start);
  expect(range()).toBeUndefined();
  expect(range("1d")).toEqual({ startMs: start - dayMs, endMs: start });
  expect(range("2d", "1d")).toEqual({ startMs: start - 2 * dayMs, endMs: start - dayMs });
  expect(() => range(undefined, "1d")).toThrow("--to needs --from");
  expect(() => range("1d", "1d")).toThrow("--from 1d is not before --to 1d");
  expect(() => range("now")).toThrow("--from now is not before --to now");
});
