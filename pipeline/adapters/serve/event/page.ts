import { buildEventQuestion } from "../../../answers/ask/question.ts";
import { UnknownSubject } from "../../../answers/investigate/subject.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { writePageAround } from "../frame.ts";
import { runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import { writeAround, writeFindings } from "./around.ts";
import { writeChanges } from "./changes.ts";
import { writeFacts } from "./facts.ts";
import { readRecordedEvent, writeRecordJson } from "./recorded.ts";

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
  if (row === undefined) throw new UnknownSubject("no event has this key");
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
