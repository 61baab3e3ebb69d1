import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drawBars } from "../../pipeline/answers/chart/bars.ts";
import type { Series } from "../../pipeline/answers/chart/chart.ts";
import { drawLegend } from "../../pipeline/answers/chart/draw-chart.ts";
import { htmlDocument } from "../../pipeline/base/html/document.ts";
import { drawPicture } from "../../pipeline/answers/chart/picture.ts";
import { getMarkupText, html } from "../../pipeline/base/html/markup.ts";
import { barriersOn, look, type Looked, looks, startBrowser, wide } from "./browser.ts";

// A chart with its legend and a form, as a page has them.
const days = ["19 Nov", "20 Nov", "21 Nov", "22 Nov"];
const series: Series[] = [
  { name: "denied", paint: "deny", values: [8, 4, 2, 1] },
  { name: "failed", paint: "fail", values: [2, 4, 0, 3] },
];
const slots = days.map((name, i) => ({ name, label: name, href: `/day/${i}`, isPart: i === 3 }));
const brush = { form: "range", edges: ["0", "1", "2", "3", "4"] };
const page = htmlDocument(
  "Charts",
  html`<main>
    <h1>Charts</h1>
    <div class="card">
      <div class="hd">
        <h2>Denials</h2>
        ${drawLegend(series)}
      </div>
      <div class="bd">
        ${drawBars({ label: "Denials per day", slots, series, usual: [null, null, 5, null], brush })}
      </div>
    </div>
    <form id="range" action="/events">
      <label>From <input name="since" value="x" /></label>
      <label>Until <input name="until" value="y" /></label>
    </form>
  </main>`,
  { hasForms: true },
);

const chart = { label: "Denials per day", slots, series };
const picture = getMarkupText(drawPicture("Denials", { type: "bars", chart }, ["notes"]));

let server: Server;
let browser: Browser;
let address: string;
beforeAll(async () => {
  browser = await startBrowser();
  server = createServer(({ url }, response) => {
    const isPicture = url === "/picture.svg";
    response.setHeader("Content-Type", isPicture ? "image/svg+xml" : "text/html");
    response.end(isPicture ? picture : page);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}, 120_000);
afterAll(async () => {
  await browser.close();
  server.close();
});

async function openChart(): Promise<Looked> {
  return await look(browser, address, wide);
}

const readTip = (page: Page): Promise<string | null> =>
  page.evaluate(
    "document.getElementById('tip').checkVisibility() ? document.getElementById('tip').textContent : null",
  );

it.each(looks)("has no accessibility violations at $width pixels, $colorScheme", async (how) => {
  await using looked = await look(browser, address, how, true);
  expect(await barriersOn(looked.page)).toEqual([]);
  expect(looked.complaints).toEqual([]);
});

it("shows what a bar is on hover and on focus, and hides it with Escape", async () => {
  await using looked = await openChart();
  const { page } = looked;
  expect(await readTip(page)).toBeNull();
  await page.locator("a[href='/day/2']").hover();
  expect(await readTip(page)).toBe("21 Nov\ndenied: 2\nusual: 5");
  await page.mouse.move(5, 5);
  expect(await readTip(page)).toBeNull();
  await page.locator("a[href='/day/3']").focus();
  expect(await readTip(page)).toBe("22 Nov, part of it\nfailed: 3\ndenied: 1");
  await page.keyboard.press("Escape");
  expect(await readTip(page)).toBeNull();
});

it("is one tab stop, in which arrows move and Enter opens", async () => {
  await using looked = await openChart();
  const { page } = looked;
  const readFocus = (): Promise<string | null> =>
    page.evaluate("document.activeElement.getAttribute('href') ?? document.activeElement.name");
  await page.locator("a[href='/day/3']").focus();
  await page.keyboard.press("ArrowLeft");
  expect(await readFocus()).toBe("/day/2");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  expect(await readFocus()).toBe("/day/1");
  await page.keyboard.press("Tab");
  expect(await readFocus()).toBe("since");
  await page.keyboard.press("Shift+Tab");
  expect(await readFocus()).toBe("/day/1");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/day/1");
});

it("hides a series by its legend, and stacks the others from the axis", async () => {
  await using looked = await openChart();
  const { page } = looked;
  const readEnds = (): Promise<number[]> =>
    page.evaluate(
      "[...document.querySelectorAll('[data-stack] [data-s=\"1\"] rect')].map((box) => Number(box.getAttribute('y')) + Number(box.getAttribute('height')))",
    );
  // A dash is a line without height, which counts as no box.
  const countUsual = (): Promise<number> =>
    page.evaluate(
      "[...document.querySelectorAll('.use')].filter((each) => each.checkVisibility()).length",
    );
  const before = await readEnds();
  const button = page.getByRole("button", { name: "denied" });
  await button.click();
  expect(await button.getAttribute("aria-pressed")).toBe("false");
  expect(new Set((await readEnds()).map(Math.round)).size).toBe(1);
  expect(await page.locator("[data-stack] [data-s='0'] rect:visible").count()).toBe(0);
  expect(await countUsual()).toBe(0);
  await button.click();
  expect((await readEnds()).map(Math.round)).toEqual(before.map(Math.round));
  expect(await countUsual()).toBe(1);
});

async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = (await page.locator("svg[data-brush]").boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + (box.width * (from + to)) / 2, y);
  await page.mouse.move(box.x + box.width * to, y);
  expect(await page.locator(".brush").count()).toBe(1);
  await page.mouse.up();
}

it.each([
  [0.3, 0.6],
  [0.6, 0.3],
])("selects whole bars when dragged from %d to %d, and submits the form", async (from, to) => {
  await using looked = await openChart();
  await drag(looked.page, from, to);
  await looked.page.waitForURL("**/events?since=1&until=3");
  expect(looked.complaints).toEqual([]);
});

it("opens a bar on click, and clears the selection on double click", async () => {
  await using looked = await openChart();
  const { page } = looked;
  await page.locator("a[href='/day/0']").click();
  await page.waitForURL("**/day/0");
  await page.goto(address);
  await page.locator("a[href='/day/0']").dblclick();
  await page.waitForURL(/\/events\??$/);
});

it("shows a standalone chart picture in its own style", async () => {
  await using looked = await look(browser, `${address}picture.svg`, wide);
  const { page, complaints } = looked;
  const bars = page.locator("[data-stack] rect.deny");
  expect(await bars.count()).toBe(4);
  expect(await page.evaluate("getComputedStyle(document.querySelector('rect.deny')).fill")).toBe(
    "rgb(184, 38, 74)",
  );
  const [frame, bar] = [
    await page.locator("svg").first().boundingBox(),
    await bars.nth(2).boundingBox(),
  ];
  expect(frame!.width).toBe(960);
  expect(bar!.width).toBeGreaterThan(100);
  expect(bar!.x + bar!.width).toBeLessThan(frame!.x + 960);
  expect(await page.locator("text").allTextContents()).toEqual(
    expect.arrayContaining(["Denials", "denied", "22 Nov", "notes"]),
  );
  expect(complaints).toEqual([]);
});
