import type { Context, Hono } from "hono";
import { getMessage, UsageError } from "../../../base/errors.ts";
import { readFormFields } from "../form-fields.ts";
import { writeProblem } from "../layout.ts";
import { sendCsv } from "../pieces.ts";
import { requireResponder } from "../visitor.ts";
import { readQuery, type VisitEnv } from "../visit.ts";
import { writeFirstPage, writeSqlPage, writeStatementPage } from "./page.ts";
import type { ChartChoice } from "./result.ts";
import { writeStatementCsv } from "./result.ts";
import { saveReport } from "./save.ts";

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
