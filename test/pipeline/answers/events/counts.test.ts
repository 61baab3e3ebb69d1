import { afterAll, beforeAll, expect, it } from "vitest";
import {
  buildFacets,
  buildHistogram,
  readFacets,
  readHistogram,
} from "../../../../pipeline/answers/events/counts.ts";
import { type EventFilters, filterColumns } from "../../../../pipeline/answers/events/filters.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Row, Rows } from "../../../../pipeline/base/rows/row.ts";
import type { Statement } from "../../../../pipeline/base/sql/bind.ts";
import { runStatement } from "../../../../pipeline/base/sql/select.ts";
import { type Database, openPublished } from "../../../../pipeline/core/store/open.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 5);
const range = { startMs, endMs: startMs + 3 * hourMs };
const everything = { included: [], excluded: [] };

let home: TestHome;
let database: Database;
beforeAll(async () => {
  home = newHome();
  const record = (minute: number, event_name: string, user: string): object => ({
    id: `${minute}`,
    time: startMs / 1000 + minute * 60,
    event_name,
    user_email: `${user}@example.com`,
  });
  await home.load([
    record(0, "sign_in_failed", "ana"),
    record(59, "job_kill", "ana"),
    record(60, "job_kill", "eva"),
    record(61, "job_kill", "eva"),
    // At the end of the range, which is not part of it.
    record(180, "job_kill", "late"),
  ]);
  const { published } = resolveHome(home.home);
  database = await openPublished(published, { memoryLimit: "500MB", threads: 1 });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const filterBy = (person: readonly string[]): EventFilters => ({
  columns: {
    outcome: everything,
    kind: everything,
    event: everything,
    address: everything,
    area: everything,
    database: everything,
    person: { included: person, excluded: [] },
  },
});

async function run(statement: Statement): Promise<{ columns: Rows["columns"]; rows: Row[] }> {
  const { columns, batches } = await runStatement(database.connection, statement);
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return { columns, rows };
}

it("the histogram counts events per bucket and outcome, and those of the selection", async () => {
  const borders = [0, 1, 2].map((hour) => startMs + hour * hourMs);
  const buckets = { borders, endMs: range.endMs, slotMs: hourMs, unit: "hour" };
  const selected = { startMs: startMs + hourMs, endMs: startMs + hourMs + 60_000 };
  const statement = buildHistogram(filterBy([]), range, selected, buckets);
  const { columns, rows } = await run(statement);
  const counts = readHistogram(columns, rows).toSorted(
    (a, b) => a.startMs - b.startMs || a.outcome.localeCompare(b.outcome),
  );
  expect(counts).toEqual([
    { startMs, outcome: "failed", events: 1, selected: 0 },
    { startMs, outcome: "succeeded", events: 1, selected: 0 },
    { startMs: startMs + hourMs, outcome: "succeeded", events: 2, selected: 1 },
  ]);
});

it("facets count the values of each column with the filters of the other columns", async () => {
  const { rows } = await run(buildFacets(filterBy(["ana@example.com"]), range));
  const facets = readFacets(rows);
  const list = (name: (typeof filterColumns)[number]) =>
    facets.get(name)?.values.map(({ value, events }) => `${value} ${events}`);
  expect(list("event")?.toSorted()).toEqual(["job_kill 1", "sign_in_failed 1"]);
  expect(list("person")?.toSorted()).toEqual(["ana@example.com 2", "eva@example.com 2"]);
  expect(facets.get("person")?.distinct).toBe(2);
  expect(readFacets([]).has("person")).toBe(false);
});
