import { type Context, Hono, type Next } from "hono";
import { closestNames } from "../../base/closest-names.ts";
import { AuditlakeError, messageOf, UsageError } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { quotedStart } from "../../base/printable.ts";
import { csvOf, piecesOf } from "./pieces.ts";
import { eventPage, eventsPieces, refusedSearch } from "./events.ts";
import { type Door, guard } from "./loopback.ts";
import { field, problem, sitePage } from "./layout.ts";
import { overviewPieces } from "./overview.ts";
import { BusyError } from "./pool.ts";
import { reportCsv, reportPage, reportsPage } from "./report.ts";
import { saveReport, sqlPage, statementPage } from "./sql.ts";
import type { Site } from "./site.ts";
import type { Catalog, Entry } from "../../../schemas/catalog.ts";
import { htmlTable } from "../../base/html/document.ts";
import type { Row } from "../../base/rows/row.ts";
import { leadsWithin } from "./leads.ts";

const maxFormBytes = 1_000_000;

/** The web application over the published data: read-only but for its own log of questions and saved reports. */
export function newApp(site: Site, door: Door): Hono {
  const app = new Hono();
  app.use(guard(door));
  app.get("/favicon.ico", (c) => c.body(null, 204));
  app.get("/", (c) => piecesOf(c, overviewPieces(site, gone(c))));
  app.get("/events", (c) => eventsPage(site, c));
  app.get("/events/:key", async (c) => c.html(await eventPage(site, c.req.param("key"), gone(c))));
  app.get("/reports", (c) => c.html(reportsPage(site)));
  // A path below an unknown report is no page, and advice for a shell does not help there.
  app.use("/reports/:name/*", (c, next) => knownReport(site, c, next));
  app.get("/reports/:name", async (c) =>
    c.html(await reportPage(site, c.req.param("name"), queryOf(c), gone(c))),
  );
  // The name of a report may itself end in .csv.
  app.get("/reports/:name/rows.csv", (c) => {
    const name = c.req.param("name");
    return csvOf(c, name, (sink) => reportCsv(site, name, queryOf(c), gone(c), sink));
  });
  app.get("/access", (c) => c.html(accessPage()));
  app.get("/reference", async (c) => c.html(referencePage(await site.catalog())));
  app.get("/sql", async (c) => c.html(await sqlPage(site, "", { isAsked: false }, gone(c))));
  app.get("/sql/of/:name", async (c) =>
    c.html(await statementPage(site, c.req.param("name"), gone(c))),
  );
  app.post("/sql", async (c) => {
    const { sql = "", change } = await formOf(c);
    return c.html(await sqlPage(site, sql, { isAsked: change === undefined }, gone(c)));
  });
  app.post("/sql/save", (c) => saved(site, c));
  app.notFound((c) => c.html(sitePage("Not found", html`<p>There is no such page.</p>`), 404));
  app.onError((error, c) => failed(error, c));
  return app;
}

function gone({ req }: Context): AbortSignal {
  return req.raw.signal;
}

// Of two values one would count for nothing.
function queryOf({ req }: Context): Record<string, string> {
  const twice = Object.entries(req.queries()).find(([, values]) => values.length > 1);
  if (twice !== undefined)
    throw new UsageError(`the address names ${quotedStart(twice[0])} more than once`);
  return req.query();
}

async function eventsPage(site: Site, c: Context): Promise<Response> {
  const query = queryOf(c);
  try {
    return await piecesOf(c, eventsPieces(site, query, gone(c)));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return c.html(refusedSearch(query, messageOf(error)), 400);
  }
}

async function saved(site: Site, c: Context): Promise<Response> {
  const { sql = "", name = "", title = "", grain = "" } = await formOf(c);
  try {
    await saveReport(site, { sql, name, title, grain });
    return c.redirect(`/reports/${name}`, 303);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const note = problem(messageOf(error));
    return c.html(await sqlPage(site, sql, { isAsked: true, note }, gone(c)), 400);
  }
}

async function formOf(c: Context): Promise<Record<string, string>> {
  if (Number(c.req.header("content-length") ?? maxFormBytes + 1) > maxFormBytes)
    throw new UsageError(`a form of at most ${maxFormBytes / 1e6} MB is taken`);
  const body = await c.req.parseBody();
  // Browsers end the lines of a form in CRLF.
  const lines = (value: unknown): string => String(value).replaceAll("\r\n", "\n");
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, lines(value)]));
}

async function knownReport(site: Site, c: Context, next: Next): Promise<Response | void> {
  const names = site.found().reports.map((report) => report.name);
  const name = c.req.param("name") ?? "";
  if (names.includes(name)) return next();
  const near = closestNames(name, names).map(
    (each) => html`<a href="/reports/${each}">${each}</a> `,
  );
  const text = html`<p>
      No report has that name. ${near.length > 0 ? html`Did you mean ${near}?` : null}
    </p>
    <p><a href="/reports">All reports</a></p>`;
  return c.html(sitePage("Not found", text), 404);
}

// The message of an unforeseen error is not shown, since it may quote a record.
function failed(error: unknown, c: Context): Response {
  if (error instanceof BusyError) {
    c.header("Retry-After", "2");
    return c.html(sitePage("Busy", problem(messageOf(error))), 503);
  }
  const isOurs = error instanceof AuditlakeError;
  const message = isOurs ? messageOf(error) : "this failed in a way that was not foreseen";
  return c.html(sitePage("Problem", problem(message)), error instanceof UsageError ? 400 : 500);
}

/** Two questions about rights at a date, each a form that leads to its report. */
export function accessPage(): string {
  return sitePage(
    "Access",
    html`<h2>What may a person do?</h2>
      <form action="/reports/user_permissions" class="fields">
        ${field("user", "Person", "", "e-mail or user id")} ${field("on", "On", "", "now")}
        <button>Ask</button>
      </form>
      <h2>Who can reach a database?</h2>
      <form action="/reports/database_access" class="fields">
        ${field("database", "Database", "", "name")} ${field("on", "On", "", "now")}
        <button>Ask</button>
      </form>
      <p><a href="/reports/full_access_holders">Who has full access?</a></p>`,
  );
}

const names = ["event_name", "variant", "denial kind", "operations", "other names"];
const columns = names.map((name) => ({ name, type: "VARCHAR", kind: "text" as const }));

/** The events of the reference by area, each with the calls that cause it. */
function referencePage({ entries }: Catalog): string {
  const areas = [...Map.groupBy(entries, ({ area }) => area)];
  return sitePage("Reference", html`${areas.map(([area, own]) => areaMarkup(area, own))}`);
}

function areaMarkup(area: string, entries: readonly Entry[]): Markup {
  const rows = entries.map((e): Row => [
    e.event,
    e.variant,
    e.denialKind,
    e.operations.map((o) => `${o.verb} ${o.path}`).join("\n"),
    e.aliases.map((alias) => alias.name).join(", "),
  ]);
  return html`<h2>${area}</h2>
    ${htmlTable(columns, rows, `Events of ${area}`, leadsWithin({ since: "30d" }))}`;
}
