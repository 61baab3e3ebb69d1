import { newRandom } from "../../../../fixtures/random.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { divideRange } from "../../../../pipeline/answers/events/buckets.ts";
import {
  buildFacets,
  buildHistogram,
  readFacets,
  readHistogram,
} from "../../../../pipeline/answers/events/counts.ts";
import { type EventFilters, filterColumns } from "../../../../pipeline/answers/events/filters.ts";
import { buildRows } from "../../../../pipeline/answers/events/rows.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Row, Rows } from "../../../../pipeline/base/rows/row.ts";
import type { Statement } from "../../../../pipeline/base/sql/bind.ts";
import { runStatement } from "../../../../pipeline/base/sql/select.ts";
import type { Interval } from "../../../../pipeline/base/time/periods.ts";
import { type Database, openPublished } from "../../../../pipeline/core/store/open.ts";
import { fewOrAll } from "../../../fault/length.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import {
  describeRecords,
  generateFilters,
  generateRecords,
  type KnownEvent,
  searchRecords,
} from "./generated.ts";

// Rows, histogram and facets of a search are compared with a filter over the records themselves.
const seed = Number(process.env["EVENTS_SEED"] ?? 1);
const random = newRandom(seed, "events to search");
const hourMs = 3_600_000;
const changeMs = Date.UTC(2026, 2, 29, 1);

let home: TestHome;
let database: Database;
let events: KnownEvent[];
let ids: ReadonlyMap<string, string>;

beforeAll(async () => {
  home = await homeWithWarehouse();
  events = [];
  for (const source of ["first", "second"]) {
    const records = generateRecords(random, source, 400);
    const file = home.write(`${source}.ndjson`, formatLines(records));
    const { code, err } = await home.run(["--source", source, "import", file]);
    expect([code, err.includes("quarantine")]).toEqual([0, false]);
    events.push(...describeRecords(records, source));
  }
  const rows = await home.rows("select event_key, id from events");
  ids = new Map(rows.map((row) => [String(row["event_key"]), String(row["id"])]));
  const { published } = resolveHome(home.home);
  database = await openPublished(published, { memoryLimit: "500MB", threads: 1 });
}, 60_000);
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

async function readRows(statement: Statement): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await readCells(statement);
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
}

async function readCells(
  statement: Statement,
): Promise<{ readonly columns: Rows["columns"]; readonly rows: Row[] }> {
  const { columns, batches } = await runStatement(database.connection, statement);
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return { columns, rows };
}

function generateRange(): Interval {
  const startMs = changeMs + random.int(-400, 100) * 0.5 * hourMs + random.int(0, 1) * 1234;
  return { startMs, endMs: startMs + random.int(1, 500) * 0.5 * hourMs };
}

const zones = ["UTC", "Europe/Berlin", "Asia/Kathmandu"];
const cases = Array.from({ length: fewOrAll(9, 60) }, (_, i) => [i, zones[i % 3]!] as const);

describe.each(cases)(`search %i of seed ${seed}`, (_, zone) => {
  let filters: EventFilters;
  let range: Interval;
  beforeAll(() => {
    filters = generateFilters(random, events);
    range = generateRange();
  });

  it("finds the matching events, the newest first, page by page", async () => {
    const expected = searchRecords(events, filters, range);
    const found: string[] = [];
    const times: string[] = [];
    for (let place: { time: string; key: string } | undefined; ;) {
      const rows = await readRows(buildRows(filters, range, 37, place));
      found.push(...rows.map((row) => ids.get(String(row["event_key"]))!));
      times.push(...rows.map((row) => String(row["event_time"])));
      const last = rows.at(-1);
      if (last === undefined || rows.length < 37) break;
      place = { time: String(last["event_time"]), key: String(last["event_key"]) };
    }
    expect(found.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it(`counts the events per bucket of ${zone}`, async () => {
    const selected = { startMs: range.startMs + hourMs, endMs: range.startMs + 3 * hourMs };
    const buckets = divideRange(range, zone);
    const { columns, rows } = await readCells(buildHistogram(filters, range, selected, buckets));
    const counted = readHistogram(columns, rows);
    const expected = new Map<string, [number, number]>();
    for (const { time, outcome } of searchRecords(events, filters, range)) {
      const start = buckets.borders.findLast((border) => border <= time);
      const [all, some] = expected.get(`${start} ${outcome}`) ?? [0, 0];
      const isSelected = time >= selected.startMs && time < selected.endMs;
      expected.set(`${start} ${outcome}`, [all + 1, some + Number(isSelected)]);
    }
    const totals = counted.map((each) => [
      `${each.startMs} ${each.outcome}`,
      [each.events, each.selected],
    ]);
    expect(Object.fromEntries(totals)).toEqual(Object.fromEntries(expected));
  });

  it("counts the values of each column without its own filter", async () => {
    const { rows } = await readCells(buildFacets(filters, range));
    const facets = readFacets(rows);
    for (const column of filterColumns) {
      const fitting = searchRecords(events, filters, range, column);
      const counts = new Map<string, number>();
      for (const { values } of fitting)
        counts.set(values[column], (counts.get(values[column]) ?? 0) + 1);
      const ranked = [...counts].toSorted(
        ([a, m], [b, n]) =>
          Number(a === "none") - Number(b === "none") || n - m || (a < b ? -1 : 1),
      );
      const { included, excluded } = filters.columns[column];
      const shown = ranked.filter(
        ([value], i) => i < 6 || included.includes(value) || excluded.includes(value),
      );
      const facet = facets.get(column);
      expect(facet?.values.map(({ value, events: n }) => [value, n]) ?? []).toEqual(shown);
      expect(facet?.distinct ?? 0).toBe(ranked.filter(([value]) => value !== "none").length);
    }
  });
});
