import { type Context, Hono } from "hono";
import { UnknownSubject } from "../../answers/investigate/subject.ts";
import { UsageError } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { writeAccessPage } from "./access/page.ts";
import { addEventRoutes } from "./events/routes.ts";
import { routeFindings } from "./findings/routes.ts";
import { newFirstPage } from "./first-page.ts";
import { newFactsReader } from "./frame-facts.ts";
import { writePage, writeProblem } from "./frame.ts";
import { type Door, newGuard } from "./guard.ts";
import { jump } from "./jump.ts";
import { newPages, type Pages } from "./page-file.ts";
import { describeFault, sendPieces } from "./pieces.ts";
import { writePipelinePage } from "./pipeline/page.ts";
import { BusyError } from "./pool.ts";
import { preparePublications } from "./publications.ts";
import { writeReferencePage } from "./reference.ts";
import { addReportRoutes } from "./reports/routes.ts";
import type { Site } from "./site.ts";
import { addSqlRoutes } from "./sql/routes.ts";
import { addSubjectRoutes } from "./subject/routes.ts";
import { readVisit, type Visit, type VisitEnv } from "./visit.ts";
import { ForbiddenError } from "./visitor.ts";

/** The web application over the published data: read-only but for its own log of questions and saved reports. */
export function newApp(site: Site, door: Door): Hono<VisitEnv> {
  const app = new Hono<VisitEnv>();
  app.use(newGuard(door));
  app.get("/favicon.ico", (c) => c.body(null, 204));
  app.use(newFirstPage(site.settings.home));
  const readFacts = newFactsReader(site);
  app.use(async (c, next) => {
    c.set("visit", await readVisit(site, c, readFacts));
    await next();
  });
  app.get("/jump", async (c) => {
    const found = await jump(c.var.visit);
    return "to" in found ? c.redirect(found.to, 303) : c.html(found.page);
  });
  const pages = newPages(site);
  void preparePublications(site, async () => {
    await readFacts(site.settings.flags.source);
    await pages.prepare();
  });
  app.get("/", (c) => sendPageFile(c, pages, "overview"));
  app.get("/pages/:name", (c) => sendPageFile(c, pages, c.req.param("name")));
  routeFindings(app, site);
  addEventRoutes(app);
  addReportRoutes(app);
  addSubjectRoutes(app);
  app.get("/access", (c) => sendPieces(c, writeAccessPage(c.var.visit)));
  app.get("/pipeline", (c) => sendPieces(c, writePipelinePage(c.var.visit)));
  app.get("/reference", async (c) => c.html(await writeReferencePage(c.var.visit)));
  addSqlRoutes(app);
  app.notFound((c) =>
    c.html(writeNotFound(c.var.visit, html`<p>This page does not exist.</p>`), 404),
  );
  app.onError((error, c) => sendFailure(error, c));
  return app;
}

async function sendPageFile(c: Context<VisitEnv>, pages: Pages, name: string): Promise<Response> {
  const { pages: all, broken } = pages.find();
  const page = all.find((each) => each.name === name);
  if (page !== undefined) {
    const entry = c.req.path === "/" ? "overview" : "reports";
    return sendPieces(c, pages.write(c.var.visit, page, entry));
  }
  const own = broken.filter((line) => line.includes(`${name}.md:`)).map(writeProblem);
  const names = all.map((each) => html`<li><a href="/pages/${each.name}">${each.title}</a></li>`);
  const text = html`${own.length > 0 ? own : html`<p>No page has that name.</p>`}
    <ul>
      ${names}
    </ul>`;
  return c.html(writePage({ visit: c.var.visit, page: "reports", title: "Not found" }, text), 404);
}

function sendFailure(error: unknown, c: Context<VisitEnv>): Response {
  const message = describeFault(error);
  // The request itself could not be read.
  const visit = c.var.visit as Visit | undefined;
  if (visit === undefined) return c.text(message, 500);
  if (error instanceof UnknownSubject)
    return c.html(writeNotFound(visit, html`${writeProblem(message)}${elsewhere}`), 404);
  const isBusy = error instanceof BusyError;
  if (isBusy) c.header("Retry-After", "2");
  const title = isBusy ? "Busy" : "Problem";
  // A fault of the range is fixed where it was entered.
  const range = visit.params.has("since") || visit.params.has("until");
  const page = writePage({ visit, page: undefined, title, range }, writeProblem(message));
  return c.html(page, isBusy ? 503 : chooseStatus(error));
}

const elsewhere = html`<p>
  <a href="/people">All people</a> · <a href="/events">Search events</a> ·
  <a href="/findings">Findings</a>
</p>`;

function writeNotFound(visit: Visit, text: Markup): string {
  return writePage({ visit, page: undefined, title: "Not found" }, text);
}

function chooseStatus(error: unknown): 400 | 403 | 500 {
  if (error instanceof UsageError) return 400;
  return error instanceof ForbiddenError ? 403 : 500;
}
