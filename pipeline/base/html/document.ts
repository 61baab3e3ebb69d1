import { createHash } from "node:crypto";
import { readAsset } from "../home/assets.ts";
import { html, type Markup, markupText, trusted } from "./markup.ts";

export type DocumentOptions = {
  readonly head?: Markup;
  /** Whether the page has forms, which go to where it came from. */
  readonly hasForms?: boolean;
  /** Scripts of this package for this page, as text: those that run once it is there, and those that run before. */
  readonly scripts?: readonly string[];
  readonly headScripts?: readonly string[];
  /** What the styles that a script adds are known by; another one for each page. */
  readonly styleNonce?: string;
};

/**
 * A whole HTML page that asks for nothing from elsewhere: style and script stand in it, and its content security
 * policy lets nothing else act.
 */
export function htmlDocument(title: string, body: Markup, more: DocumentOptions = {}): string {
  const { head, hasForms = false, headScripts = [], styleNonce } = more;
  const style = readAsset("pipeline/base/html/style.css");
  const scripts = [readAsset("pipeline/base/html/tables.js"), ...(more.scripts ?? [])];
  const nonce = styleNonce === undefined ? "" : ` 'nonce-${styleNonce}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}${nonce}`,
    `script-src ${[...headScripts, ...scripts].map(hashOf).join(" ")}`,
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
        ${head} ${trusted(`<style>${style}</style>`)} ${headScripts.map(scriptOf)}
      </head>
      <body>
        ${body} ${scripts.map(scriptOf)}
      </body>
    </html> `;
  return markupText(page);
}

function scriptOf(script: string): Markup {
  return trusted(`<script>${script}</script>`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
