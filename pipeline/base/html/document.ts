import { createHash } from "node:crypto";
import { readAsset } from "../home/assets.ts";
import { html, type Markup, getMarkupText, trustMarkup } from "./markup.ts";

export type DocumentOptions = {
  readonly head?: Markup;
  /** Whether the page has forms, which go to where it came from. */
  readonly hasForms?: boolean;
  /** Scripts of this package for the page, as text, to run after and before loading. */
  readonly scripts?: readonly string[];
  readonly headScripts?: readonly string[];
  /** What the styles that a script adds are known by; another one for each page. */
  readonly styleNonce?: string;
};

/** The style of all pages, split by what it is about. */
const styleSheets = [
  "tokens",
  "frame",
  "cards",
  "tables",
  "charts",
  "lanes",
  "reports",
  "forms",
  "print",
];

/**
 * Writes a self-contained HTML page: style and script are inline, and its content security policy permits nothing else.
 */
export function htmlDocument(title: string, body: Markup, more: DocumentOptions = {}): string {
  const { head, hasForms = false, headScripts = [], styleNonce } = more;
  const style = styleSheets
    .map((name) => readAsset(`pipeline/base/html/style/${name}.css`))
    .join("");
  const own = ["tables", "charts", "brush"].map((name) =>
    readAsset(`pipeline/base/html/${name}.js`),
  );
  const scripts = [...own, ...(more.scripts ?? [])];
  const nonce = styleNonce === undefined ? "" : ` 'nonce-${styleNonce}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${computeHash(style)}${nonce}`,
    `script-src ${[...headScripts, ...scripts].map(computeHash).join(" ")}`,
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
  ].join("; ");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="${hasForms ? "same-origin" : "no-referrer"}" />
        <title>${title}</title>
        ${head} ${trustMarkup(`<style>${style}</style>`)} ${headScripts.map(writeScript)}
      </head>
      <body>
        ${body} ${scripts.map(writeScript)}
      </body>
    </html> `;
  return getMarkupText(page);
}

function writeScript(script: string): Markup {
  return trustMarkup(`<script>${script}</script>`);
}

function computeHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
