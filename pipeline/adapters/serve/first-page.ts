import type { MiddlewareHandler } from "hono";
import { existsSync } from "node:fs";
import { formatCommand } from "../../base/command-line.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import { htmlDocument } from "../../base/html/document.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { readAsset } from "../../base/home/assets.ts";

const reloadSeconds = 5;

/**
 * Answers each request with one page until the first publication. A published file that disappears later is a fault,
 * which the page that needs it reports.
 */
export function newFirstPage(home: Home): MiddlewareHandler {
  let isPublished = false;
  return async (c, next) => {
    isPublished ||= existsSync(home.published);
    if (isPublished) return next();
    c.header("Refresh", String(reloadSeconds));
    // Who asks for a file or sends a form must not take this page for the answer.
    const isPage = c.req.method !== "POST" && !/\.(?:csv|parquet)$/.test(c.req.path);
    return c.html(writeFirstPage(home), isPage ? 200 : 503);
  };
}

function writeFirstPage(home: Home): string {
  const steps = [
    [formatCommand("init"), "write a configuration for your service"],
    [formatCommand("ingest"), "read its audit log"],
    [formatCommand("import", "FILE"), "load a file of audit records"],
    ["auditlake demo", "try everything with an emulated service, in a separate home"],
  ] as const;
  return htmlDocument(
    "No events yet – auditlake",
    html`<main id="main">
      <div class="head"><h1>No events yet</h1></div>
      <div class="card">
        <div class="bd">
          <p>${describeRun(home)} This page reloads every ${reloadSeconds} seconds.</p>
          ${steps.map(
            ([command, purpose]) =>
              html`<p class="mt12">
                <code>${command}</code><br /><span class="muted">${purpose}</span>
              </p>`,
          )}
        </div>
      </div>
    </main>`,
    { headScripts: [readAsset("pipeline/base/html/theme.js")] },
  );
}

function describeRun({ root, lock }: Home): Markup {
  const run = lockState(lock);
  if (run.state !== "held")
    return html`Nothing is published in <code>${root}</code> yet. Run one of these in a terminal.`;
  const command = run.by === undefined ? "A run" : html`<code>auditlake ${run.by.command}</code>`;
  return html`${command} is writing to <code>${root}</code>; its events appear when it publishes
    them.`;
}
