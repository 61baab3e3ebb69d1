import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../support/home.ts";
import { type Served, serving } from "../support/serve.ts";
import { barriersOn, look, type Looked, looks, startBrowser, wide } from "./browser.ts";

// The search of events by mouse and keyboard: a drag, the fields, facets and chips.
const start = Date.UTC(2026, 1, 3) / 1000;
const records = Array.from({ length: 120 }, (_, i) => ({
  id: `${i}`,
  time: start + i * 3600,
  event_name: i % 2 === 0 ? "user_signed_in" : "permission_policy_modify",
  user_email: `person${i % 3}@example.com`,
  resource_id: "7",
  resource_name: "<b>Analysts</b>",
  old_value: '{"Databases":[{"operation":"query","ids":"1"}]}',
  new_value: `{"Databases":[{"operation":"query","ids":"${i}"}]}`,
  attribute_name: "permissions",
}));
const search = "/events?since=2026-02-03&until=2026-02-08&fold=no";

let browser: Browser;
let home: TestHome;
let served: Served;
beforeAll(async () => {
  browser = await startBrowser();
  home = newHome();
  await home.load(records);
  served = await serving(home);
}, 120_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await browser.close();
  home[Symbol.dispose]();
});

async function enter(path: string, how = wide, bypassCSP = false): Promise<Looked> {
  const looked = await look(browser, served.address, how, bypassCSP);
  await looked.page.goto(new URL(served.address).origin + path);
  return looked;
}

// The rows come before a histogram that takes long; their card then counts the shown events.
const readTitles = async (page: Page): Promise<string[]> => {
  await page.waitForLoadState("load");
  return page.locator("main h2").allTextContents();
};

it("selects a part of the range by a drag over the bars, and shows its events", async () => {
  await using looked = await enter(search);
  const { page, complaints } = looked;
  expect(await readTitles(page)).toEqual(["120 events", "120 events"]);
  const box = (await page.locator("svg[data-brush]").boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.201, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.399, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/from=2026-02-04T00(?:%3A|:)00(?:%3A|:)00Z&to=2026-02-05/);
  expect(await readTitles(page)).toEqual(["120 events", "24 events selected"]);
  expect(await page.locator("svg rect.brush").count()).toBe(1);
  await page.getByRole("link", { name: /^Remove filter time/ }).click();
  await page.waitForURL((url) => !url.searchParams.has("from"));
  expect(await readTitles(page)).toContain("120 events");
  expect(complaints).toEqual([]);
});

it("selects a range by keyboard, and includes and excludes values by facets", async () => {
  await using looked = await enter(search);
  const { page } = looked;
  await page.getByLabel("Select from").focus();
  await page.keyboard.type("2026-02-04T06:00");
  await page.keyboard.press("Tab");
  await page.keyboard.type("2026-02-04T12:00");
  await page.keyboard.press("Enter");
  await page.waitForURL(/to=/);
  expect(await readTitles(page)).toEqual(["120 events", "6 events selected"]);
  await page.getByRole("link", { name: /^Only person1@example.com,/ }).click();
  await page.waitForURL(/person=person1/);
  expect(await readTitles(page)).toEqual(["40 events", "2 events selected"]);
  await page.getByRole("link", { name: "Exclude person1@example.com" }).click();
  await page.waitForURL(/not_person=person1/);
  expect(await readTitles(page)).toEqual(["80 events", "4 events selected"]);
});

it.each(looks)(
  "shows an event without accessibility violations at $width pixels, $colorScheme",
  async (how) => {
    await using looked = await enter(search, how, true);
    const { page, complaints } = looked;
    await page.locator("tbody a[href^='/events/']").first().click();
    await page.waitForURL(/\/events\/[0-9a-f]{32}/);
    expect(await page.locator("main h2").allTextContents()).toContain("What happened");
    await page.getByText("every field with a value").click();
    expect(await page.locator("pre").textContent()).toContain("<b>Analysts</b>");
    expect(await barriersOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

it("Alt-click on a value excludes it", async () => {
  await using looked = await enter(search);
  const { page } = looked;
  await page.locator(".facet a.t", { hasText: "person1" }).click({ modifiers: ["Alt"] });
  await page.waitForURL(/not_person=person1/);
  expect(await page.locator(".chip.no .v").textContent()).toContain("person1");
});

it("a saved search is named after its filters, opens its address, and is deleted by its button", async () => {
  await using looked = await enter(`${search}&person=person1@example.com`);
  const { page, complaints } = looked;
  await page.locator("#save-search").click();
  await page.goto(new URL("/events?since=2026-02-03&until=2026-02-08", page.url()).href);
  const saved = page.locator("#searches .chip a");
  expect(await saved.textContent()).toBe("person person1@example.com");
  await saved.click();
  await page.waitForURL(/person=person1/);
  await page.locator("#searches button").click();
  expect(await page.locator("#searches").isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});
