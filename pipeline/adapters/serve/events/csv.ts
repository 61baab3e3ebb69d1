import { renderRows } from "../../../answers/report/formats.ts";
import type { Sink } from "../../../answers/report/result.ts";
import { buildRows } from "../../../answers/events/rows.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { ask } from "../ask.ts";
import { newSinkUntil } from "../pieces.ts";
import type { Visit } from "../visit.ts";
import { parseSearch, readAddress } from "./address.ts";
import { logSearch } from "./page.ts";

/** All events of a search as CSV, the newest first. */
export async function writeEventsCsv(visit: Visit, sink: Sink): Promise<void> {
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
