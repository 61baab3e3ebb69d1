import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeField, writePageAround } from "../../pipeline/adapters/serve/frame.ts";
import { sendPieces } from "../../pipeline/adapters/serve/pieces.ts";
import { getMarkupText, html } from "../../pipeline/base/html/markup.ts";
import { newVisit } from "../support/visit.ts";
import { barriersOn, look, narrow, startBrowser } from "./browser.ts";

// A page in parts, as the program sends them, whose search takes as long as the test needs.
let browser: Browser;
let server: ReturnType<typeof serve>;
let origin: string;
let state = "idle";
let isOver = false;

async function* slowPage(gone: AbortSignal): AsyncGenerator<string> {
  const form = html`<form class="fields">
    ${writeField("since", "From", "")}<button>Search</button>
  </form>`;
  const [before, after] = writePageAround(
    { visit: newVisit(), page: "events", title: "Slow" },
    form,
  );
  state = "searching";
  gone.addEventListener("abort", () => (state = "gone"));
  yield before;
  for (let i = 1; !isOver && !gone.aborted; i += 1) {
    yield getMarkupText(
      html`<p class="progress" role="status">Step ${i}. <a href="/">Stop here</a></p>`,
    );
    await sleep(100);
  }
  yield getMarkupText(html`<div class="found"><p>All of it.</p></div>`);
  yield after;
}

beforeAll(async () => {
  browser = await startBrowser();
  const app = new Hono();
  app.get("/", (c) => sendPieces(c, slowPage(c.req.raw.signal)));
  app.get("/favicon.ico", (c) => c.body(null, 204));
  server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await browser.close();
  server.close();
});

/** Waits until one of the steps is to be seen: several may have come at once, and the last one hides the others. */
async function see(page: Page, step: RegExp): Promise<void> {
  await page.getByText(step).last().waitFor();
}

it("shows only the newest step, and a cancel button that stops the query on the server", async () => {
  isOver = false;
  await using looked = await look(browser, "about:blank", narrow, true);
  const { page, complaints } = looked;
  await page.goto(origin, { waitUntil: "commit" });
  await see(page, /Step ([3-9]|\d\d)/);
  expect(await page.locator(".progress:visible").count()).toBe(1);
  await page
    .getByRole("status")
    .filter({ hasText: /Asking for [1-9]/ })
    .waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page
    .getByRole("status")
    .filter({ hasText: /Given up after \d+ s/ })
    .waitFor();
  await expect.poll(() => state).toBe("gone");
  // It stays so: nothing requests it again.
  await page.waitForTimeout(600);
  expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

it("shows only the result once it is available", async () => {
  isOver = false;
  await using looked = await look(browser, "about:blank", narrow);
  const { page, complaints } = looked;
  await page.goto(origin, { waitUntil: "commit" });
  await see(page, /Step ([2-9]|\d\d)/);
  isOver = true;
  await page.getByText("All of it.").waitFor();
  await page.waitForLoadState("load");
  expect(await page.locator(".progress:visible, .waiting button").count()).toBe(0);
  expect(complaints).toEqual([]);
});
