import type { Context, Hono } from "hono";
import { buildRows } from "../../../answers/events/rows.ts";
import { writeSearchSql } from "../../../answers/events/sql-text.ts";
import { renderRows } from "../../../answers/report/formats.ts";
import type { Sink } from "../../../answers/report/result.ts";
import { getMessage, UsageError } from "../../../base/errors.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { ask } from "../ask.ts";
import { writeEventPage } from "../event/page.ts";
import { newSinkUntil, sendCsv, sendPieces } from "../pieces.ts";
import { writeSqlPage } from "../sql/page.ts";
import type { Visit, VisitEnv } from "../visit.ts";
import { parseSearch, readAddress } from "./address.ts";
import { logSearch, writeEventsPage, writeRefusedSearch } from "./page.ts";

/** Adds the search of events, its CSV and SQL, and the page of one event. */
export function addEventRoutes(app: Hono<VisitEnv>): void {
  app.get("/events", (c) => sendEventsPage(c));
  app.get("/events/rows.csv", (c) =>
    sendCsv(c, "events", (sink) => writeEventsCsv(c.var.visit, sink)),
  );
  app.get("/events/sql", async (c) => c.html(await writeSearchSqlPage(c.var.visit)));
  app.get("/events/:key", (c) => sendPieces(c, writeEventPage(c.var.visit, c.req.param("key"))));
}

async function sendEventsPage(c: Context<VisitEnv>): Promise<Response> {
  const { visit } = c.var;
  try {
    return await sendPieces(c, writeEventsPage(visit));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return c.html(writeRefusedSearch(visit, getMessage(error)), 400);
  }
}

function writeSearchSqlPage(visit: Visit): Promise<string> {
  const { site, params, range } = visit;
  const { filters, selected } = parseSearch(readAddress(params), range, site.world.now());
  return writeSqlPage(visit, { sql: writeSearchSql(filters, selected), isAsked: false });
}

/** All events of a search as CSV, the newest first. */
async function writeEventsCsv(visit: Visit, sink: Sink): Promise<void> {
  const { site, gone } = visit;
  const address = readAddress(visit.params);
  const { filters, selected } = parseSearch(address, visit.range, site.world.now());
  logSearch(visit, address);
  const statement = buildRows(filters, selected, Number.MAX_SAFE_INTEGER);
  await ask(site, gone, async (connection, signal) => {
    const rows = await runStatement(connection, statement, signal);
    await renderRows("csv", rows, newSinkUntil(signal, sink));
  });
}
