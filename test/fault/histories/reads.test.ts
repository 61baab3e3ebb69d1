import { expect, it } from "vitest";
import fc from "fast-check";
import { balancedBooks, event } from "../../pipeline/core/store/loading/books.ts";
import { newHome } from "../../support/home.ts";

// What makes two records one event, and whether the counts add up for any input.

const { loads } = balancedBooks();

it("any series of reads loses and duplicates nothing", async () => {
  const pool = [event("a"), event("b"), event("a", { resource_id: "2" })].concat([
    event(null),
    event(null, { resource_id: "2" }),
  ]);
  const reads = fc.array(fc.array(fc.nat(pool.length - 1), { maxLength: 6 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(reads, async (series) => {
      using other = newHome();
      for (const read of series.filter((r) => r.length > 0))
        expect((await other.load(read.map((i) => pool[i]))).code).toBe(0);
      const most = (i: number): number =>
        Math.max(0, ...series.map((read) => read.filter((n) => n === i).length));
      const expected = pool.reduce(
        (sum, record, i) => sum + ("id" in record ? Math.min(1, most(i)) : most(i)),
        0,
      );
      if (series.every((read) => read.length === 0)) return;
      expect(await other.count("select count(*) from events")).toBe(expected);
    }),
    { numRuns: 8, seed: 7 },
  );
  await loads(event("a"));
});
