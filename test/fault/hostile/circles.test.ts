import fc from "fast-check";
import { expect, test } from "vitest";
import { fewOrAll } from "../length.ts";
import { answer, failure, type Script } from "../../pipeline/core/source/raw-service.ts";
import { newPaged, queries, read } from "../../pipeline/core/source/window-reader.ts";

// A service that repeats pages in a loop under new cursors each time, beside one that only has many equal records. A
// record without an id is its second and a letter.

const byCursor = newPaged("cursor", { param: "after", next_at: "next" });
const seconds = fc.nat(5);
const nameless = fc.record({ time: seconds, user: fc.constantFrom("a", "b", "c") });
const named = fc.record({ time: seconds, id: fc.uuid() });

/** Answers page after page, each naming another one; `pageAt` gives undefined after the last. */
function service(pageAt: (place: number) => readonly object[] | undefined): Script {
  let asked = 0;
  return (socket, head) => {
    const audits = pageAt(asked);
    const next = audits === undefined ? null : `c${(asked += 1)}`;
    answer(JSON.stringify({ next, audits: audits ?? [] }))(socket, head);
  };
}

test(
  "a repeating page loop is found after few rounds if a page has an id or spans two seconds",
  { timeout: 600_000 },
  async () => {
    const page = fc.array(fc.oneof(nameless, named), { minLength: 1, maxLength: 4 });
    const hasMessage = (records: readonly object[]): boolean =>
      records.some((record) => "id" in record && records.length > 1) ||
      new Set(records.map((record) => (record as { time: number }).time)).size > 1;
    const circle = fc
      .array(page, { minLength: 1, maxLength: 6 })
      .filter((all) => all.some(hasMessage));
    await fc.assert(
      fc.asyncProperty(circle, fc.array(page, { maxLength: 3 }), async (pages, before) => {
        const at = (place: number): readonly object[] =>
          before[place] ?? pages[(place - before.length) % pages.length]!;
        const error = await failure(read(byCursor, [service(at)]));
        expect(error.message).toContain("same page twice");
        const rounds = Math.max(2, before.length + pages.length) + 2;
        expect(queries().length).toBeLessThanOrEqual(before.length + rounds * pages.length);
      }),
      { numRuns: fewOrAll(10, 200) },
    );
  },
);

test(
  "alternating bursts within a second are read completely, with pages of any size",
  { timeout: 600_000 },
  async () => {
    const burst = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 120 });
    const log = fc.array(burst, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(log, fc.integer({ min: 1, max: 4 }), async (bursts, size) => {
        const records = bursts.flatMap((users, time) => users.map((user) => ({ time, user })));
        const at = (place: number): readonly object[] | undefined =>
          place * size < records.length
            ? records.slice(place * size, (place + 1) * size)
            : undefined;
        const pages = await read(byCursor, [service(at)]);
        expect(pages.reduce((sum, page) => sum + page.records, 0)).toBe(records.length);
      }),
      { numRuns: fewOrAll(10, 200) },
    );
  },
);
