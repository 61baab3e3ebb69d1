import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { newHome, type TestHome } from "../../../../support/home.ts";

/** When all the events happened, in seconds. */
export const base = 1767225600;
/** An event with the id, or with none. */
export const event = (id: string | null, more: object = {}): Record<string, unknown> => ({
  time: base,
  event_name: "job_kill",
  ...(id === null ? {} : { id }),
  resource_id: "1",
  ...more,
});

/** What a load says of how many records were new. */
export const news = (text: string): string =>
  /(\d+ records?, \d+ new, \d+ duplicates?)/.exec(text)?.[1] ?? text;

// Every page and every run: fetched = inserted + duplicate + quarantined, and the rows are those inserted.
async function checkBooks(home: TestHome): Promise<void> {
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

/** The home of the running test. */
export type Books = {
  readonly home: TestHome;
  /** Loads records, and returns how many of them were new. */
  readonly loads: (...records: unknown[]) => Promise<string>;
};

/** A home for each test, whose books have to balance after it. */
export function balancedBooks(): Books {
  let home: TestHome;
  const homes: TestHome[] = [];
  beforeEach(() => {
    home = newHome();
    homes.push(home);
  });
  afterEach(() => checkBooks(home));
  afterAll(() => homes.forEach((h) => h[Symbol.dispose]()));
  return {
    get home() {
      return home;
    },
    loads: async (...records) => {
      const { code, err } = await home.load(records);
      expect(code).toBe(0);
      return news(err);
    },
  };
}
