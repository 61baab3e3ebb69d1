import { VARCHAR } from "@duckdb/node-api";
import { readAsset } from "../../base/home/assets.ts";
import { UsageError } from "../../base/errors.ts";
import { html } from "../../base/html/markup.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Row } from "../../base/rows/row.ts";
import { ask } from "./ask.ts";
import { sitePage } from "./layout.ts";
import { leadsWithin } from "./leads.ts";
import type { Site } from "./site.ts";

/** Everything that one event says; throws UsageError where the key is none, or that of no event. */
export async function eventPage(site: Site, key: string, gone: AbortSignal): Promise<string> {
  if (!/^[0-9a-f]{32}$/.test(key))
    throw new UsageError("this is no key of an event; expected 32 hexadecimal digits");
  site.asked.add("event", key);
  const values = { event_key: { type: VARCHAR, value: key } };
  const { columns, rows } = await ask(site, gone, async (connection, signal) => {
    const sql = readAsset("queries/serve/event.sql");
    const result = await runStatement(connection, { sql, values }, signal);
    const all: Row[] = [];
    for await (const batch of result.batches) all.push(...batch);
    return { columns: result.columns, rows: all };
  });
  const [row] = rows;
  if (row === undefined) throw new UsageError("no event has this key");
  const leads = leadsWithin({ since: "30d" });
  const facts = columns.flatMap((column, i) => {
    const cell = row[i] ?? null;
    if (cell === null || cell === "") return [];
    const to = column.name === "event_key" ? undefined : leads(column, cell, row);
    const text = String(cell);
    return [
      html`<dt>${column.name}</dt>
        <dd class="kept">${to === undefined ? text : html`<a href="${to}">${text}</a>`}</dd>`,
    ];
  });
  return sitePage(`Event ${key.slice(0, 8)}`, html`<dl class="facts">${facts}</dl>`);
}
