import type { Context, Hono, Next } from "hono";
import { findClosestNames } from "../../../base/closest-names.ts";
import { html } from "../../../base/html/markup.ts";
import { writePage } from "../frame.ts";
import { sendCsv, sendParquet, sendPieces } from "../pieces.ts";
import type { VisitEnv } from "../visit.ts";
import { newReportCounter } from "./counts.ts";
import { writeGallery } from "./gallery.ts";
import { writeReportPage } from "./page.ts";
import { openReportParquet, writeReportCsv } from "./rows.ts";

/** Adds the gallery of reports, the page of each, and its rows as CSV and Parquet. */
export function addReportRoutes(app: Hono<VisitEnv>): void {
  const readCounts = newReportCounter();
  app.get("/reports", (c) => c.html(writeGallery(c.var.visit, readCounts(c.var.visit.site))));
  // A path below an unknown report is no page, and advice for a shell does not help there.
  app.use("/reports/:name/*", checkReport);
  app.get("/reports/:name", (c) =>
    sendPieces(c, writeReportPage(c.var.visit, c.req.param("name"))),
  );
  // The name of a report may itself end in .csv.
  app.get("/reports/:name/rows.csv", (c) => {
    const name = c.req.param("name");
    return sendCsv(c, name, (sink) => writeReportCsv(c.var.visit, name, sink));
  });
  app.get("/reports/:name/rows.parquet", async (c) => {
    const name = c.req.param("name");
    return sendParquet(c, name, await openReportParquet(c.var.visit, name));
  });
}

async function checkReport(c: Context<VisitEnv>, next: Next): Promise<Response | void> {
  const { visit } = c.var;
  const names = visit.site.found().reports.map((report) => report.name);
  const name = c.req.param("name") ?? "";
  if (names.includes(name)) return next();
  const near = findClosestNames(name, names).map(
    (each) => html`<a href="/reports/${each}">${each}</a> `,
  );
  const text = html`<p>
    No report has that name. ${near.length > 0 ? html`Did you mean ${near}?` : null}
    <a href="/reports">All reports</a>
  </p>`;
  return c.html(writePage({ visit, page: "reports", title: "Not found" }, text), 404);
}
