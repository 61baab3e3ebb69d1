import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../support/home.ts";
import { barriersOn, look, looks, startBrowser, wide } from "./browser.ts";

// The daily report in a browser, made of records with hostile text.
const nowMs = Date.UTC(2026, 1, 10, 6);
const hostile = [
  '<script>document.title = "taken"</script>',
  '"><img src=http://127.0.0.1:9/x onerror="alert(1)">',
  "</td></tr></table><h1>mine</h1>",
  "\u202egnp.exe",
  "=cmd|' /C calc'!A0",
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
];

let browser: Browser;
let home: TestHome;
let address: string;

beforeAll(async () => {
  browser = await startBrowser();
  home = newHome();
  const records = Array.from({ length: 200 }, (_, i) => ({
    id: `${i}`,
    time: nowMs / 1000 - 60 - i * 5000,
    event_name: i % 9 === 0 ? hostile[i % hostile.length] : "user_signed_in",
    event_result: i % 2 === 0 ? "denied" : "success",
    user_email: i % 4 === 0 ? hostile[i % hostile.length] : `person${i % 13}@example.com`,
    resource_name: hostile[i % hostile.length],
    ip_address: hostile[(i + 1) % hostile.length],
  }));
  await home.load(records);
  const out = join(home.folder, "pages");
  const { code, err } = await home.run(["page", "--out", out], { now: () => nowMs });
  if (code !== 0) throw new Error(err);
  address = pathToFileURL(join(out, "auditlake-2026-02-10.html")).href;
}, 120_000);
afterAll(async () => {
  await browser.close();
  home[Symbol.dispose]();
});

describe.each(looks)("at $width pixels, $colorScheme", (how) => {
  it("logs no errors, sends no requests, and fits the width", async () => {
    await using looked = await look(browser, address, how);
    const { page, complaints, requests } = looked;
    expect(requests).toEqual([address]);
    expect(complaints).toEqual([]);
    expect(await page.title()).toBe("Daily report, 2026-02-10");
    const [wide, seen] = await page.evaluate<[number, number]>(
      "[document.body.scrollWidth, innerWidth]",
    );
    expect(wide).toBeLessThanOrEqual(seen);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  });

  it("has no accessibility violations", async () => {
    await using looked = await look(browser, address, how, true);
    expect(await barriersOn(looked.page)).toEqual([]);
  });
});

it("prints on at most four sheets of A4, no table wider than the paper", async () => {
  // A4 and its margins, in pixels.
  await using looked = await look(browser, address, { width: 718, colorScheme: "light" });
  const { page } = looked;
  const sheets = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(sheets.match(/\/Type\s*\/Page\b/g)!.length).toBeLessThanOrEqual(4);
  await page.emulateMedia({ media: "print" });
  const wider = await page.evaluate<string[]>(
    "[...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > innerWidth + 1)" +
      ".map((t) => t.tHead.innerText)",
  );
  expect(wider).toEqual([]);
});

it("is at most four screens high at 1440 pixels", async () => {
  await using looked = await look(browser, address, wide);
  const height = await looked.page.evaluate<number>("document.documentElement.scrollHeight");
  expect(height).toBeLessThanOrEqual(4 * 900);
});

it("shows hostile text unchanged", async () => {
  await using looked = await look(browser, address, wide);
  const { page } = looked;
  expect(await page.title()).toBe("Daily report, 2026-02-10");
  expect(await page.locator("img, td script, h1").count()).toBe(1);
  const text = await page.locator("main").innerText();
  expect(text).not.toContain("\u202e");
});

it("explains its collapsed lines by keyboard alone", async () => {
  await using looked = await look(browser, address, wide);
  const fold = looked.page.locator("details.fold").first();
  await fold.locator("summary").focus();
  await looked.page.keyboard.press("Enter");
  expect(await fold.getAttribute("open")).not.toBeNull();
});
