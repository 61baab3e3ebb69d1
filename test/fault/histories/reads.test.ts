import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import fc from "fast-check";
import { newHome, type TestHome } from "../../support/home.ts";

// What makes two records one event, and whether the books balance whatever comes.

const base = 1767225600;
const event = (id: string | null, more: object = {}): Record<string, unknown> => ({
  time: base,
  event_name: "job_kill",
  ...(id === null ? {} : { id }),
  resource_id: "1",
  ...more,
});

let home: TestHome;
const homes: TestHome[] = [];
beforeEach(() => {
  home = newHome();
  homes.push(home);
});
afterEach(checkBooks);
afterAll(() => homes.forEach((h) => h[Symbol.dispose]()));

// Every page and every run: fetched = inserted + duplicate + quarantined, and the rows are those inserted.
async function checkBooks(): Promise<void> {
  const sums =
    "sum(fetched)::int f, sum(inserted)::int i, sum(duplicate)::int d, sum(quarantined)::int q";
  const [pages] = await home.rows(`select ${sums} from ingest_pages`);
  const [runs] = await home.rows(`select ${sums} from ingest_runs`);
  expect(pages).toEqual(runs);
  expect(
    await home.rows(
      "select * from ingest_pages where fetched <> inserted + duplicate + quarantined",
    ),
  ).toEqual([]);
  expect(await home.count("select count(*) from events")).toBe(pages!["i"]);
  expect(await home.count("select count(distinct (source, event_key)) from events")).toBe(
    pages!["i"],
  );
}

const news = (text: string): string =>
  /(\d+ records, \d+ new, \d+ duplicates)/.exec(text)?.[1] ?? text;
const loads = async (...records: unknown[]): Promise<string> => {
  const { code, err } = await home.load(records);
  expect(code).toBe(0);
  return news(err);
};

it("loses and doubles nothing in any series of reads", async () => {
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
