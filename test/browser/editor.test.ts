import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getAssetPath } from "../../pipeline/base/home/assets.ts";
import { newHome, type TestHome } from "../support/home.ts";
import { type Served, serving } from "../support/serve.ts";
import { barriersOn, look, type Looked, looks, startBrowser, wide } from "./browser.ts";

// The editor of statements in a browser, under the page's own policy unless configured otherwise.
let browser: Browser;
let home: TestHome;
let served: Served;
let queries: string;

beforeAll(async () => {
  if (!existsSync(getAssetPath("pipeline/adapters/serve/editor.bundle.js")))
    execFileSync("node_modules/.bin/rolldown", ["--config", "rolldown.editor.ts"], {
      cwd: getAssetPath(""),
    });
  browser = await startBrowser();
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  home.write(
    "queries/mine.sql",
    "-- title: </script><b>Mine</b>\n-- grain: one row\nselect 7 as n\n",
  );
  queries = join(home.folder, "queries");
  served = await serving(home, "--queries", queries, "--timeout", "5m");
}, 120_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await browser.close();
  home[Symbol.dispose]();
});

async function enter(path = "/sql?sql=", how = wide, bypassCSP = false): Promise<Looked> {
  const looked = await look(browser, served.address, how, bypassCSP);
  await looked.page.goto(new URL(served.address).origin + path);
  return looked;
}

const editorIn = (page: Page): ReturnType<Page["locator"]> =>
  page.getByRole("textbox", { name: "One SELECT on the published data" });
const readCells = async (page: Page): Promise<string[]> => {
  await page.waitForSelector("tbody td");
  return page.locator("tbody td").allTextContents();
};

describe.each(looks)("at $width pixels, $colorScheme", (how) => {
  it("has no accessibility violations, with its list open and closed", async () => {
    await using looked = await enter("/sql/of/denials_by_actor", how, true);
    const { page, complaints } = looked;
    expect(await barriersOn(page)).toEqual([]);
    await editorIn(page).focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n-- \n acto");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    expect(await barriersOn(page)).toEqual([]);
    const [wide, seen] = await page.evaluate<[number, number]>(
      "[document.body.scrollWidth, innerWidth]",
    );
    expect(wide).toBeLessThanOrEqual(seen);
    expect(complaints).toEqual([]);
  });
});

it("completes tables, columns and reports by keyboard, and runs the statement", async () => {
  await using looked = await enter();
  const { page, complaints } = looked;
  await editorIn(page).focus();
  const choose = async (text: string, whole: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.locator(".cm-tooltip-autocomplete [aria-selected]", { hasText: whole }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
  };
  await choose("select canonical_n", "canonical_name");
  await choose(" from catalog_ev", "catalog_events");
  expect(await editorIn(page).textContent()).toContain("select canonical_name from catalog_events");
  await page.keyboard.press("Control+a");
  await choose("mine", "mine");
  await page.keyboard.press("Control+Enter");
  expect(await readCells(page)).toEqual(["7"]);
  expect(complaints).toEqual([]);
});

it("has its colours and sizes under the page's content security policy", async () => {
  await using looked = await enter("/sql/of/denials_by_actor", {
    width: 1440,
    colorScheme: "dark",
  });
  const { page, complaints } = looked;
  const style = (what: string): Promise<string> =>
    page.locator(".cm-editor").evaluate((node, name) => {
      const all = (node.ownerDocument as never as { defaultView: typeof globalThis }).defaultView;
      return (
        all as never as { getComputedStyle: (n: unknown) => Record<string, string> }
      ).getComputedStyle(node)[name]!;
    }, what);
  expect(await style("display")).toBe("flex");
  expect(await style("backgroundColor")).toBe("rgb(21, 27, 36)");
  expect(complaints).toEqual([]);
});

it("is left with Tab, and returns the lines exactly as they were typed", async () => {
  await using looked = await enter();
  const { page } = looked;
  await editorIn(page).focus();
  await page.keyboard.insertText("select 'a\n  b' as text,\n  42 as n");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Run");
  await page.keyboard.press("Enter");
  expect(await readCells(page)).toEqual(["a b", "42"]);
  expect(await page.locator("textarea").inputValue()).toBe("select 'a\n  b' as text,\n  42 as n");
});

// Processes of queries that this one has started.
function running(): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return parent === String(process.pid) && command.includes("ask/query-child");
    } catch {
      return false;
    }
  }).length;
}

it("shows its running time, and is cancelled on request", async () => {
  await using looked = await enter();
  const { page, complaints } = looked;
  await editorIn(page).focus();
  await page.keyboard.insertText(
    "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range < 0",
  );
  await page.keyboard.press("Control+Enter");
  await expect.poll(running, { timeout: 10_000 }).toBe(1);
  await page.waitForTimeout(1500);
  // A page that is about to be left answers no queries, but receives keys.
  await page.keyboard.press("Escape");
  await page
    .getByRole("status")
    .filter({ hasText: /^Given up after [1-9]\d* s\.$/ })
    .waitFor();
  expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  await expect.poll(running, { timeout: 10_000 }).toBe(0);
  // The typed text is still there to be fixed.
  await editorIn(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("select 'corrected' as n");
  await page.keyboard.press("Control+Enter");
  expect(await readCells(page)).toEqual(["corrected"]);
  expect(complaints).toEqual([]);
});

it("offers previous statements for editing, and saves one as a report", async () => {
  await using looked = await enter();
  const { page } = looked;
  await editorIn(page).focus();
  await page.keyboard.insertText("select 'first' as n");
  await page.keyboard.press("Control+Enter");
  await readCells(page);
  await page.goto(`${new URL(served.address).origin}/sql`);
  await page.getByText("History", { exact: true }).click();
  await page.getByRole("button", { name: "Change" }).first().click();
  // Not by waitForFunction: it evaluates its text again in the page, whose content policy forbids that.
  const text = page.locator("textarea").first();
  await expect.poll(() => text.inputValue(), { timeout: 30_000 }).toBe("select 'first' as n");
  expect(await page.locator("tbody").count()).toBe(0);
  await editorIn(page).focus();
  await page.keyboard.press("Control+Enter");
  await readCells(page);
  await page.getByLabel("Name").fill("first_one");
  await page.getByLabel("Question").fill("Which?");
  await page.getByLabel("One row per").fill("word");
  await page.getByRole("button", { name: "Save as a report" }).click();
  await page.waitForURL("**/reports/first_one");
  expect(readFileSync(join(queries, "first_one.sql"), "utf8")).toContain("select 'first' as n");
});

it("is a plain text field where scripts do not run", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(served.address);
  await page.goto(`${new URL(served.address).origin}/sql`);
  await page.getByRole("textbox").fill("select 'plain' as n");
  await page.getByRole("button", { name: "Run" }).click();
  expect(await readCells(page)).toEqual(["plain"]);
  await context.close();
});
