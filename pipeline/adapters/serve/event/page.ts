import { VARCHAR } from "@duckdb/node-api";
import { buildEventQuestion } from "../../../answers/ask/question.ts";
import { listDifferences } from "../../../answers/events/differences.ts";
import { UnknownSubject } from "../../../answers/investigate/subject.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { type Row, textColumn } from "../../../base/rows/row.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { readSql } from "../../../base/sql/statements.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { writePageAround } from "../frame.ts";
import { runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import { writeAround, writeFindings } from "./around.ts";
import { writeFacts } from "./facts.ts";
import { readRecordedEvent, type RecordedEvent, writeRecordJson } from "./recorded.ts";

/**
 * One event: what happened, what it changed, the findings that it is evidence of, and the events around it. Throws
 * UsageError for an invalid key, UnknownSubject for the key of no event.
 */
export async function* writeEventPage(visit: Visit, key: string): AsyncGenerator<string> {
  const { site, gone } = visit;
  const statement = bindQuestion(buildEventQuestion(key));
  site.asked.add("event", key);
  const { columns, rows } = await runSearch(site, statement, gone);
  const [row] = rows;
  if (row === undefined) throw new UnknownSubject("no event with this key");
  const event = readRecordedEvent(columns, row);
  const [before, after] = writePageAround(
    {
      visit,
      page: "events",
      title: shortenMiddle(event.getText("event_name") ?? "Event without a name"),
      crumbs: [
        ["Events", "/events"],
        [`Event ${key.slice(0, 8)}`, undefined],
      ],
    },
    html`<div class="grid g21">${writeFacts(visit, event)}`,
  );
  yield before;
  yield getMarkupText(html`${await writeFindings(visit, event)}</div>`);
  yield getMarkupText(await writeChanges(visit, event));
  yield getMarkupText(await writeAround(visit, event));
  yield getMarkupText(writeRecord(writeRecordJson(event)));
  yield after;
}

function writeRecord(json: string): Markup {
  return html`<section>
    <details class="card fold">
      <summary>Record <span class="muted">every field with a value</span></summary>
      <pre class="bd">${json}</pre>
    </details>
  </section>`;
}

// More would be too long to read; the record has all.
const mostDifferences = 200;

/** What an event changed: rights, and old and new values where they differ. */
async function writeChanges(visit: Visit, event: RecordedEvent): Promise<Markup> {
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
