import { once } from "node:events";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../support/home.ts";
import { type Served, serving } from "../support/serve.ts";
import {
  barriersOn,
  look,
  type Looked,
  looks,
  narrow,
  startBrowser,
  wide,
  widths,
} from "./browser.ts";

// The web application as a user meets it, over records with hostile texts.
const nowMs = Date.UTC(2026, 1, 10, 6);
const hostile = [
  '<script>document.title = "taken"</script>',
  '"><img src=http://127.0.0.1:9/x onerror="alert(1)">',
  "javascript:alert(1)",
  "</td></tr></table><h1>mine</h1>",
];

let browser: Browser;
let home: TestHome;
let served: Served;

beforeAll(async () => {
  browser = await startBrowser();
  home = newHome();
  await home.load(
    Array.from({ length: 250 }, (_, i) => ({
      id: `${i}`,
      time: nowMs / 1000 - 60 - i * 500,
      event_name: i % 9 === 0 ? hostile[i % hostile.length] : "user_signed_in",
      event_result: i % 2 === 0 ? "denied" : "success",
      user_email: i % 4 === 0 ? hostile[i % hostile.length] : `person${i % 7}@example.com`,
      resource_name: hostile[i % hostile.length],
      ip_address: `203.0.113.${i % 5}`,
    })),
  );
  served = await serving(home);
}, 120_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await browser.close();
  home[Symbol.dispose]();
});

const range = "since=2026-02-01&until=2026-02-11";
const paths = [
  "/",
  "/pages/daily",
  `/events?${range}`,
  `/events?${range}&outcome=denied&not_address=203.0.113.1&from=2026-02-08&to=2026-02-09T12:00&text=%3Cscript%3E`,
  `/events?${range}&outcome=nearly`,
  "/reports",
  `/reports/denials_by_actor?${range}`,
  `/reports/user_timeline?user=person1@example.com&${range}`,
  `/people?${range}`,
  `/people/person1@example.com?${range}`,
  `/addresses/203.0.113.1?${range}`,
  `/objects/${encodeURIComponent(hostile[1]!)}?${range}`,
  `/jobs/1?${range}`,
  "/findings?state=all&since=2026-01-01&until=2026-12-31",
  "/findings/detections",
  "/findings/detections/repeated_denials",
  "/findings/suppressions",
  "/access",
  "/pipeline",
  "/sql",
  "/sql?sql=select+event_date+as+day,+count(*)+as+events+from+events+group+by+all",
  "/sql?sql=select+email+from+events",
  "/reports?family=denials&q=day",
  "/reports/denials_list?since=banana",
  "/jump?to=person",
  "/no/such/page",
  "/reference",
];
function getOrigin(): string {
  return new URL(served.address).origin;
}

async function enter(path: string, how = wide, bypassCSP = false): Promise<Looked> {
  const looked = await look(browser, served.address, how, bypassCSP);
  await looked.page.goto(getOrigin() + path);
  return looked;
}

/** The elements that make a page scroll sideways. */
// A table is fitted to a new width with the next frame.
async function findOverflow(page: Page): Promise<string[]> {
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  return page.evaluate<string[]>(`
    document.documentElement.scrollWidth <= innerWidth
      ? []
      : [...document.querySelectorAll("body *:not(.nav *, .pop, .pop *)")]
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
          .map((each) => each.cloneNode(false).outerHTML)
          .slice(0, 5)`);
}

// One page of the browser for all paths: to open another takes longer than to look at one.
describe.each(looks)("at $width pixels, $colorScheme", (how) => {
  let looked: Looked;
  beforeAll(async () => {
    looked = await look(browser, served.address, how, true);
  });
  afterAll(async () => {
    await looked[Symbol.asyncDispose]();
  });

  it.each(paths)(
    "%s logs no errors, sends no external requests, fits, has no accessibility violations, and is usable with Tab",
    async (path) => {
      const { page, complaints, requests } = looked;
      const [complained, requested] = [complaints.length, requests.length];
      await page.goto(getOrigin() + path);
      // A browser itself notes that an answer was an error.
      const own = complaints.slice(complained).filter((text) => !/status of 40\d/.test(text));
      expect(own).toEqual([]);
      const addresses = requests.slice(requested);
      expect(addresses.filter((address) => !address.startsWith(getOrigin()))).toEqual([]);
      expect(await page.title()).toMatch(/ – auditlake$/);
      expect(await page.content()).not.toContain("unexpected reason");
      expect(await barriersOn(page)).toEqual([]);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await findOverflow(page)]).toEqual([width, []]);
      }
      await page.setViewportSize({ width: how.width, height: 900 });
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
      expect(
        await page
          .locator('[tabindex]:not([tabindex="0"], svg [tabindex="-1"], .cm-editor *)')
          .count(),
      ).toBe(0);
    },
  );
});

it("downloads the rows of a report in the order that its table was sorted by", async () => {
  await using looked = await enter(`/reports/denials_by_actor?${range}`);
  const { page } = looked;
  const read = (): Promise<string[]> =>
    page.locator("a[data-download]").evaluateAll((links) => links.map((link) => link.search));
  await page.getByRole("button", { name: "Person" }).click();
  for (const sort of ["sort=actor", "sort=-actor"]) {
    const searches = await read();
    expect(searches).toHaveLength(2);
    for (const search of searches) expect(search).toMatch(new RegExp(`&${sort}$`));
    await page.getByRole("button", { name: "Person" }).click();
  }
});

it("links a report to a person, and a list of events to one event, by one click", async () => {
  await using looked = await enter(`/reports/denials_by_actor?${range}`);
  const { page, complaints } = looked;
  await page.locator("tbody a[href^='/people/person1']").first().click();
  await page.waitForURL(/\/people\/person1/);
  expect(await page.title()).toMatch(/^person1/i);
  await page.goto(`${getOrigin()}/events?${range}`);
  await page.locator("tbody a[href^='/events/']").first().click();
  await page.waitForURL(/\/events\/[0-9a-f]{32}/);
  expect(complaints).toEqual([]);
});

it("shows hostile text unchanged, under its own policy", async () => {
  const sql = "select distinct resource_name as name, event_name from events";
  await using looked = await enter(`/sql?${new URLSearchParams({ sql }).toString()}`);
  const { page, complaints } = looked;
  const cells = (await page.locator("td").allTextContents()).map((text) => text.trim());
  for (const text of hostile) expect(cells).toContain(text);
  await page.goto(`${getOrigin()}/events?${range}`);
  expect(await page.locator("img, td script, td h1").count()).toBe(0);
  const links = await page
    .locator("td a")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(links.filter((to) => !/^\/[a-z]+[/?]/.test(to ?? ""))).toEqual([]);
  expect([complaints, await page.title()]).toEqual([[], "Events – auditlake"]);
});

it("advises while the published file is a folder, and resumes with the next valid one", async () => {
  const published = join(home.home, "audit.duckdb");
  const aside = `${published}.aside`;
  await using looked = await enter(`/events?${range}`, narrow, true);
  const { page, complaints } = looked;
  const shown = await page.locator("tbody tr").count();
  renameSync(published, aside);
  mkdirSync(published);
  try {
    for (const path of ["/", `/events?${range}`, `/reports/denials_by_actor?${range}`]) {
      await page.goto(getOrigin() + path);
      const alerts = await page.getByRole("alert").allTextContents();
      expect(alerts.length, path).toBeGreaterThan(0);
      expect(alerts[0], path).toContain("move it away, then run auditlake publish");
      expect(await barriersOn(page)).toEqual([]);
    }
  } finally {
    rmdirSync(published);
    renameSync(aside, published);
  }
  await page.goto(`${getOrigin()}/events?${range}`);
  expect([await page.getByRole("alert").count(), await page.locator("tbody tr").count()]).toEqual([
    0,
    shown,
  ]);
  // A browser itself notes that an answer was an error.
  expect(complaints.filter((text) => !/status of 500/.test(text))).toEqual([]);
});

it("runs a statement that is typed and submitted by keyboard alone", async () => {
  await using looked = await enter("/sql");
  const { page, complaints } = looked;
  await page.getByRole("textbox").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("select count(*) as events from events");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("tbody td");
  expect(await page.locator("tbody td").allTextContents()).toEqual(["250"]);
  expect(complaints).toEqual([]);
});

it("enters the jump field with a slash, and leaves it with Escape", async () => {
  await using looked = await enter("/findings");
  const { page } = looked;
  const focused = page.locator(".jump input:focus");
  await page.keyboard.press("/");
  expect(await focused.count()).toBe(1);
  await page.keyboard.press("Escape");
  expect(await focused.count()).toBe(0);
});

it("sends the token to no other listener on the machine, under any name or port", async () => {
  const cookies: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    cookies.push(request.headers.cookie);
    response.setHeader("set-cookie", "own=1").end("<title>other</title>");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await using looked = await enter("/events");
  const { page } = looked;
  for (const name of ["127.0.0.1", "localhost", "other.localhost"]) {
    await page.goto(`http://${name}:${port}/`);
    expect(await page.title()).toBe("other");
    await page.reload();
  }
  // The other listener sees the port of this server, and cannot reach it by a name that all share.
  const { port: own } = new URL(served.address);
  const shared = await page.goto(`http://127.0.0.1:${own}/events`);
  expect(shared?.status()).toBe(421);
  expect(new Set(cookies)).toEqual(new Set([undefined, "own=1"]));
  await page.goto(getOrigin() + "/events");
  expect(await page.title()).toBe("Events – auditlake");
  other.close();
});
