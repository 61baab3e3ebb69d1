import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import pLimit from "p-limit";
import { replaceFile } from "../../../answers/report/write.ts";
import { getMessage, UsageError } from "../../../base/errors.ts";
import { parseHeader } from "../../../base/report/header.ts";
import { writeProblem } from "../frame.ts";
import { sendCsv } from "../pieces.ts";
import type { Site } from "../site.ts";
import { readQuery, type VisitEnv } from "../visit.ts";
import { requireResponder } from "../visitor.ts";
import { writeFirstPage, writeSqlPage, writeStatementPage } from "./page.ts";
import { type ChartChoice, writeStatementCsv } from "./result.ts";

/** Adds the page of statements, their results as CSV, and reports saved from them. */
export function addSqlRoutes(app: Hono<VisitEnv>): void {
  // A statement in the address runs, unless it is opened for editing.
  app.get("/sql", async (c) => {
    const fields = readQuery(c.var.visit);
    const { sql, edit } = fields;
    if (sql === undefined) return c.html(await writeFirstPage(c.var.visit));
    const view = { sql, isAsked: edit === undefined, choice: readChoice(fields) };
    return c.html(await writeSqlPage(c.var.visit, view));
  });
  app.get("/sql/of/:name", async (c) =>
    c.html(await writeStatementPage(c.var.visit, c.req.param("name"))),
  );
  app.post("/sql", async (c) => {
    const fields = await readFormFields(c);
    const { sql = "", change, explain } = fields;
    const isExplained = explain !== undefined;
    const isAsked = change === undefined && !isExplained;
    const view = { sql, isAsked, isExplained, choice: readChoice(fields) };
    return c.html(await writeSqlPage(c.var.visit, view));
  });
  app.post("/sql/rows.csv", async (c) => {
    const { sql = "" } = await readFormFields(c);
    return sendCsv(c, "statement", (sink) => writeStatementCsv(c.var.visit, sql, sink));
  });
  app.post("/sql/save", saveStatement);
}

function readChoice(fields: Readonly<Record<string, string>>): ChartChoice {
  const { chart = "", x = "", y = "", stack = "" } = fields;
  return { chart, x, y, stack };
}

async function saveStatement(c: Context<VisitEnv>): Promise<Response> {
  requireResponder();
  const { site } = c.var.visit;
  const { token, sql = "", name = "", title = "", grain = "" } = await readFormFields(c);
  try {
    site.forms.check(token, "/sql/save");
    await saveReport(site, { sql, name, title, grain });
    return c.redirect(`/reports/${name}`, 303);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const note = writeProblem(getMessage(error));
    return c.html(await writeSqlPage(c.var.visit, { sql, isAsked: true, note }), 400);
  }
}

const maxBytes = 1_000_000;

/** Reads the fields of a form that was sent. Throws UsageError for one of more than 1 MB. */
async function readFormFields(c: Context): Promise<Record<string, string>> {
  if (Number(c.req.header("content-length") ?? maxBytes + 1) > maxBytes)
    throw new UsageError(`the form is too large; the limit is ${maxBytes / 1e6} MB`);
  const body = await c.req.parseBody();
  // Browsers end the lines of a form in CRLF.
  const normalizeLines = (value: unknown): string => String(value).replaceAll("\r\n", "\n");
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, normalizeLines(value)]),
  );
}

const namePattern = /^[a-z][a-z0-9_]{0,60}$/;

/** What a person fills in to make a report of a statement. */
type Draft = {
  readonly name: string;
  readonly title: string;
  readonly grain: string;
  readonly sql: string;
};

// Two at once of the same name would both find it free.
const oneAtATime = pLimit(1);

/** Saves a statement as a report of the user's own folder; throws UsageError where it cannot be one. */
async function saveReport(site: Site, draft: Draft): Promise<string> {
  return oneAtATime(() => storeReport(site, draft));
}

async function storeReport(site: Site, draft: Draft): Promise<string> {
  const { name, sql } = draft;
  if (site.queriesFolder === undefined)
    throw new UsageError("no folder of reports is configured; start serve with --queries DIR");
  if (sql.trim() === "") throw new UsageError("there is no statement to save");
  if (!namePattern.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a report; expected lower case letters, digits and underscores`,
    );
  const path = join(site.queriesFolder, `${name}.sql`);
  if (existsSync(path) || site.found().reports.some((report) => report.name === name))
    throw new UsageError(`a report ${name} exists already; choose another name`);
  const joinLines = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const text = `-- title: ${joinLines(draft.title)}\n-- grain: ${joinLines(draft.grain)}\n${sql.trim()}\n`;
  parseHeader(text, path);
  await replaceFile(path, ({ sink }) => sink(text));
  return path;
}
