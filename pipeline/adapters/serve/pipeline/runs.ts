import type { DuckDBConnection } from "@duckdb/node-api";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePlainTable } from "../../../base/html/table.ts";
import type { Facts } from "../../../base/sql/facts.ts";
import { count, queryRows, text, type TypedRow } from "../../../base/sql/typed-rows.ts";
import { countText, formatDuration } from "../../../base/terminal/amounts.ts";
import type { Visit } from "../visit.ts";

/** The last runs, the newest first. */
export function writeRuns(runs: readonly Facts[], { display }: Visit): Markup | null {
  if (runs.length === 0) return null;
  const rows = runs.map(
    (run) =>
      html`<tr>
        <td>${formatTime(String(run["started_at"]), display)}</td>
        <td>${String(run["source"])}</td>
        <td>${String(run["command"])}</td>
        <td>
          ${run["error"] ? html`<span class="sev high" title="${String(run["error"])}">${String(run["outcome"])}</span>` : String(run["outcome"])}
        </td>
        <td class="n">${run["seconds"] === null ? "—" : formatDuration(Number(run["seconds"]))}</td>
        <td class="n">${countText(Number(run["fetched"] ?? 0))}</td>
        <td class="n">${countText(Number(run["inserted"] ?? 0))}</td>
        <td class="n p3">${countText(Number(run["quarantined"] ?? 0))}</td>
      </tr>`,
  );
  return html`<div class="card mt16">
    <div class="hd"><h2>Last runs</h2></div>
    <div class="bd"></div>
    ${writePlainTable("Last runs", ["Started", "Source", "Command", "Outcome", ["Took", "n"], ["Fetched", "n"], ["New", "n"], ["Quarantined", "n p3"]], rows, "st")}
  </div>`;
}

/** Event types that the reference does not have, each with a link to its events. */
export function writeUnknown(unknown: readonly UnknownType[], { display }: Visit): Markup {
  const rows = unknown.map(
    ({ eventName, events, firstAt, lastAt }) =>
      html`<tr>
        <td>
          <a href="/events?${new URLSearchParams({ event: eventName, since: "30d" }).toString()}"
            >${eventName}</a
          >
        </td>
        <td class="n">${countText(events)}</td>
        <td class="p3">${formatTime(firstAt, display)}</td>
        <td>${formatTime(lastAt, display)}</td>
      </tr>`,
  );
  return html`<div class="card mt16">
    <div class="hd">
      <h2>Unknown event types</h2>
      <span class="muted">not in the reference of events</span><span class="sp"></span
      ><a class="small" href="/reference">Reference</a>
    </div>
    ${
      rows.length === 0
        ? html`<div class="bd"><p class="muted">All event types are in the reference.</p></div>`
        : html`<div class="bd"></div>
            ${writePlainTable("Unknown event types", ["Event", ["Events", "n"], ["First", "p3"], "Last"], rows, "st")}`
    }
  </div>`;
}

const shape = { eventName: text, events: count, firstAt: text, lastAt: text };

/** An event type that the reference does not have. */
export type UnknownType = TypedRow<typeof shape>;

/** Reads the most frequent event types that the reference does not have. */
export async function readUnknownTypes(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<UnknownType[]> {
  const path = "queries/pages/pipeline.sql#unknown";
  return queryRows(connection, path, shape, { source: source ?? null });
}
