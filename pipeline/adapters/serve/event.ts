import { buildEventQuestion } from "../../answers/ask/question.ts";
import { UsageError } from "../../base/errors.ts";
import { html } from "../../base/html/markup.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import { writePage } from "./layout.ts";
import { newLeads } from "./leads.ts";
import { runSearch } from "./search.ts";
import type { Site } from "./site.ts";

/** Everything that one event says; throws UsageError where the key is none, or that of no event. */
export async function writeEventPage(site: Site, key: string, gone: AbortSignal): Promise<string> {
  const statement = bindQuestion(buildEventQuestion(key));
  site.asked.add("event", key);
  const { columns, rows } = await runSearch(site, statement, gone);
  const [row] = rows;
  if (row === undefined) throw new UsageError("no event has this key");
  const leads = newLeads({ since: "30d" });
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
  return writePage(`Event ${key.slice(0, 8)}`, html`<dl class="facts">${facts}</dl>`);
}
