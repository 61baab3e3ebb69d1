import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { htmlDocument } from "../../../../pipeline/base/html/document.ts";
import { html } from "../../../../pipeline/base/html/markup.ts";

const getPolicy = (page: string): string =>
  /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!.replaceAll("&#39;", "'");
const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const within = (page: string, tag: string): string[] =>
  [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(([, text]) => text!);

it("a page allows its own style and scripts, and nothing else", () => {
  const page = htmlDocument("A < B", html`<p>x</p>`, {
    headScripts: ["first()"],
    scripts: ["last()"],
  });
  const [style] = within(page, "style");
  const scripts = within(page, "script");
  expect([scripts[0], scripts.at(-1), scripts.length]).toEqual(["first()", "last()", 5]);
  expect(getPolicy(page)).toBe(
    `default-src 'none'; style-src ${hashOf(style!)}; script-src ${scripts.map(hashOf).join(" ")}; base-uri 'none'; form-action 'none'`,
  );
  expect(page).toContain("<title>A &lt; B</title>");
  expect(page).toContain('name="referrer" content="no-referrer"');
  expect(page.indexOf("first()")).toBeLessThan(page.indexOf("<body>"));
  expect(page.indexOf("last()")).toBeGreaterThan(page.indexOf("<p>x</p>"));
});

it("forms may go to the page's origin, and styles need the page's nonce", () => {
  const page = htmlDocument("A", html`x`, { hasForms: true, styleNonce: "n0" });
  expect(getPolicy(page)).toMatch(/ style-src 'sha256-[^']+' 'nonce-n0'; .*; form-action 'self'$/);
  expect(page).toContain('name="referrer" content="same-origin"');
});
