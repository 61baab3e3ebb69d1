import { expect, it } from "vitest";
import { buildReadId } from "../../../../pipeline/core/ingest/confirm-end.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 2);
const id = (hours: number, round: number): string =>
  buildReadId("run", { startMs, endMs: startMs + hours * hourMs }, round, 24 * hourMs);

it("a read is named by its run and start, a part by its length and a later round by its number", () => {
  const [whole, again, part, partAgain] = [id(24, 1), id(24, 2), id(12, 1), id(12, 2)];
  expect(whole).toMatch(/^run-[0-9TZ]+$/);
  expect([again, part, partAgain]).toEqual([`${whole}-r2`, `${whole}-43200s`, `${part}-r2`]);
  // As rebuild goes through them.
  expect([partAgain, part, whole].toSorted()).toEqual([whole, part, partAgain]);
});
