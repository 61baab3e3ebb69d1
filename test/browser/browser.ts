import axe from "axe-core";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Starts the machine's own browser; throws where there is none, with what to do. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(
      `no browser at ${executablePath}; install Debian's package chromium, or name another in CHROMIUM`,
    );
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export type Look = { readonly width: number; readonly colorScheme: "light" | "dark" };

/** Each width and each colour scheme for a page: a scheme changes only colours, a width no colour. */
export const narrow: Look = { width: 360, colorScheme: "light" };
export const wide: Look = { width: 1440, colorScheme: "dark" };
export const looks: readonly Look[] = [narrow, wide];
/** The widths that every page fits. */
export const widths = [360, 768, 1440];

/** A page that is being looked at, with what it complained of and what it asked for. */
export type Looked = AsyncDisposable & {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
};

/** Opens an address; `bypassCSP` is for what is to run in the page itself. */
export async function look(
  browser: Browser,
  address: string,
  { width, colorScheme }: Look,
  bypassCSP = false,
): Promise<Looked> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    bypassCSP,
  });
  const page = await context.newPage();
  const [complaints, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("dialog", (dialog) => void (complaints.push(dialog.message()), dialog.dismiss()));
  page.on("request", (request) => void requests.push(request.url()));
  await page.goto(address);
  return { page, complaints, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** The accessibility violations of a page that was opened with `bypassCSP`. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}
