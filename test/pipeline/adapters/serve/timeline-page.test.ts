import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

// 2,500 events of one address, several in most seconds, with milliseconds.
const count = 2500;
const start = Date.UTC(2026, 0, 5, 10);
const records = Array.from({ length: count }, (_, i) => ({
  id: `e${i}`,
  time: new Date(start + i * 340).toISOString(),
  event_name: "job_kill",
  user_email: `p${i % 3}@example.com`,
  ip_address: "203.0.113.1",
  resource_name: `crm.${i}`,
  resource_id: "850",
}));

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  await home.load(records);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const keysOf = (page: string): string[] =>
  [...page.matchAll(/href="\/events\/([0-9a-f]{32})"/g)].map(([, key]) => key!);

/** The keys of all pages, the oldest page first. */
async function keysOfPages(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const page = await served.text(next);
    pages.unshift(keysOf(page));
    next = /href="([^"]*)">Earlier entries/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  return pages;
}

const about = "since=2026-01-05&until=2026-01-06";

it.each([
  ["address", "203.0.113.1"],
  ["resource", "850"],
  ["job", "850"],
])("a timeline of one %s is read page by page, newest entries first", async (kind, subject) => {
  const path = `/reports/${kind}_timeline`;
  const pages = await keysOfPages(`${path}?${about}&${kind}=${subject}`);
  expect(pages.length).toBe(3);
  const csv = await served.text(`${path}/rows.csv?${about}&${kind}=${subject}`);
  const keys = csv.trim().split("\r\n").slice(1);
  expect(keys).toHaveLength(count);
  const inOrder = keys.map((line) => /\b[0-9a-f]{32}\b/.exec(line)![0]);
  expect(pages.flat()).toEqual(inOrder);
});

it("a page of a timeline links to the CSV file of all rows", async () => {
  const page = await served.text(
    `/reports/address_timeline?${about}&address=203.0.113.1&before=2026-01-05T10:05:00Z`,
  );
  expect(keysOf(page)).toHaveLength(883);
  const [, csv = ""] = /href="([^"]*rows\.csv[^"]*)"/.exec(page) ?? [];
  const all = await served.text(csv.replaceAll("&amp;", "&"));
  expect(all.trim().split("\r\n")).toHaveLength(count + 1);
});

it("the user sets the size of a page", async () => {
  const page = await served.text(
    `/reports/address_timeline?${about}&address=203.0.113.1&newest=10`,
  );
  expect(keysOf(page).length).toBeLessThan(15);
  expect(page).toContain("Earlier entries");
});
