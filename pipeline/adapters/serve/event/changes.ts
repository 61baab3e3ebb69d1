import { VARCHAR } from "@duckdb/node-api";
import { listDifferences } from "../../../answers/events/differences.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { type Row, textColumn } from "../../../base/rows/row.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { readSql } from "../../../base/sql/statements.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import type { RecordedEvent } from "./recorded.ts";

// More would be too long to read; the record has all.
const mostDifferences = 200;

/** What an event changed: rights, and old and new values where they differ. */
export async function writeChanges(visit: Visit, event: RecordedEvent): Promise<Markup> {
  const { getText } = event;
  const pairs = [
    [getText("old_value"), getText("new_value")],
    [getText("old_values"), getText("new_values")],
  ] as const;
  const differences = pairs.flatMap(([before, after]) => listDifferences(before, after));
  if (differences.length === 0) return html``;
  const rows = differences
    .slice(0, mostDifferences)
    .map(({ place, before, after }): Row => [place === "" ? null : place, before, after]);
  const attribute = shortenMiddle(getText("attribute_name") ?? "");
  return html`<section class="grid">
    ${await writeRights(visit, event)}
    ${writeTable({
      label: "Old and new values",
      title: "Old and new values",
      note: html`${attribute}
      ${rows.length < differences.length ? `${rows.length} of ${formatCount(differences.length, "difference")}` : null}`,
      columns: [
        { ...textColumn("place"), title: "Where" },
        { ...textColumn("before"), title: "Before", write: writeValue },
        { ...textColumn("after"), title: "After", write: writeValue },
      ],
      rows,
      display: visit.display,
    })}
  </section>`;
}

const mostCharacters = 1000;

function writeValue(cell: Row[number]): Markup | undefined {
  if (cell === null) return undefined;
  const text = String(cell);
  const shown = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return html`<span class="mono whole">${shown}</span>`;
}

async function writeRights(
  { site, gone, display }: Visit,
  { getText }: RecordedEvent,
): Promise<Markup | null> {
  const values = {
    moment: { type: VARCHAR, value: getText("event_time") },
    event_key: { type: VARCHAR, value: getText("event_key") },
  };
  const sql = readSql("queries/pages/event/around.sql#permissions");
  const { columns, rows } = await runSearch(site, { sql, values }, gone);
  if (rows.length === 0) return null;
  return writeTable({ label: "Rights changed", title: "Rights changed", columns, rows, display });
}
