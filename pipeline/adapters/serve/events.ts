import { AuditlakeError, getMessage, UsageError } from "../../base/errors.ts";
import { html, type Markup, getMarkupText } from "../../base/html/markup.ts";
import type { Leads } from "../../base/html/cells.ts";
import { writeTable as writeRows } from "../../base/html/table.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { writeField, writeProblem, writePage, writePageAround } from "./layout.ts";
import { newLeads, buildTimelineUrl } from "./leads.ts";
import { writeReach } from "./ask.ts";
import {
  runSearch,
  type Query,
  parseRange,
  searchEvents,
  type SearchProgress,
  describeUnknownFields,
} from "./search.ts";
import type { Site } from "./site.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import { buildEventQuestion } from "../../answers/ask/question.ts";

const rowsOfPage = 100;
const fields = [
  ["since", "From", "7d"],
  ["until", "Until", "now"],
  ["person", "Person", "e-mail or user id"],
  ["address", "Address", "203.0.113.7"],
  ["event", "Event", "query_run"],
  ["object", "Object", "id, name or table"],
  ["outcome", "Outcome", "succeeded, denied, failed, unknown"],
  ["text", "Text", "in names, paths, values, query texts"],
] as const;
// Where the next page starts.
const places = ["below_time", "below_key"];
const known: readonly string[] = [...fields.map(([name]) => name), ...places];

/** The events that fit a search, the newest first, a page at a time; the answer comes in pieces while it is looked for. */
export async function* writeEventsPage(
  site: Site,
  query: Query,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const unknown = describeUnknownFields(query, known);
  const asked = readQuery(query);
  const range = parseRange(asked, site.world.now());
  const searched = searchEvents(site, asked, rowsOfPage + 1, gone);
  const first = await searched.next();
  const reach = await writeReach(site, range, gone);
  const [before, after] = writePageAround(
    "Events",
    html`${unknown ? writeProblem(unknown) : null} ${writeForm(asked)} ${listTimelines(asked)}
    ${reach}`,
  );
  yield before;
  yield* answerPieces(asked, first.value!, searched);
  yield after;
}

/** The page of a search that is refused: the fault, and the form with what was entered. */
export function writeRefusedSearch(query: Query, message: string): string {
  return writePage("Events", html`${writeProblem(message)} ${writeForm(readQuery(query))}`);
}

// The page has started, so a later error is shown below the events found so far.
async function* answerPieces(
  asked: Query,
  first: SearchProgress,
  rest: AsyncGenerator<SearchProgress>,
): AsyncGenerator<string> {
  let last = first;
  try {
    if (!last.isEnd) yield getMarkupText(writeProgress(asked, last));
    for await (last of rest) if (!last.isEnd) yield getMarkupText(writeProgress(asked, last));
    yield getMarkupText(writeAnswer(asked, last));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    yield getMarkupText(html`${writeProblem(getMessage(error))}${writeAnswer(asked, last)}`);
  }
}

function writeProgress(asked: Query, { reached, rows }: SearchProgress): Markup {
  const address = buildAddress({ ...asked, since: reached });
  return html`<p class="progress" role="status">
    Searched back to ${reached}, found ${rows.length}. <a href="${address}">Stop here</a>
  </p>`;
}

function writeAnswer(asked: Query, { columns, rows, reached, isEnd }: SearchProgress): Markup {
  const shown = rows.slice(0, rowsOfPage);
  const onward = buildAddress({ ...asked, until: reached });
  return html`<div class="found">
    ${shown.length === 0 ? html`<p>No events fit.</p>` : writeTable(asked, columns, shown)}
    ${rows.length > rowsOfPage ? writeOlderLink(asked, columns, shown.at(-1)!) : null}
    ${isEnd ? null : html`<p><a href="${onward}">Search on before ${reached}</a></p>`}
  </div>`;
}

function writeTable(asked: Query, columns: Rows["columns"], rows: readonly Row[]): Markup {
  const { since, until } = asked;
  const within = newLeads({ since: since!, until: until! });
  const keyAt = columns.findIndex(({ name }) => name === "event_key");
  const leads: Leads = (column, cell, row) =>
    column.name === "event_time" ? `/events/${String(row[keyAt])}` : within(column, cell, row);
  return writeRows({
    columns: columns.slice(0, keyAt),
    rows,
    label: "Events that fit, the newest first",
    leads,
    display: { zone: "UTC" },
  });
}

function buildAddress(asked: Query): string {
  return `/events?${new URLSearchParams(asked).toString()}`;
}

// What is copied from elsewhere brings blanks along, which no person and no address has.
const trimmed = ["person", "address", "event"];

function readQuery(query: Query): Record<string, string> {
  const { since = "7d", until = "now", ...others } = query;
  const given = Object.entries(others)
    .map(([name, text]) => [name, trimmed.includes(name) ? text.trim() : text] as const)
    .filter(([name, text]) => known.includes(name) && text !== "");
  return { since: since || "7d", until: until || "now", ...Object.fromEntries(given) };
}

function writeForm(asked: Query): Markup {
  return html`<form action="/events" class="fields">
    ${fields.map(([name, label, hint]) => writeField(name, label, asked[name] ?? "", hint))}
    <button>Search</button>
  </form>`;
}

// What a search names has a timeline of its own, with changes of rights, jobs, first times and sessions.
const subjects = [
  ["person", "user"],
  ["address", "address"],
  ["object", "resource"],
] as const;

function listTimelines(asked: Query): Markup[] {
  const { since = "", until = "" } = asked;
  return subjects.flatMap(([name, kind]) => {
    const subject = asked[name];
    if (subject === undefined) return [];
    const to = buildTimelineUrl(kind, subject, { since, until });
    return [html`<p><a href="${to}">Timeline of ${subject}</a></p>`];
  });
}

// The next page begins below the last event of this one, so events that arrive meanwhile do not shift it.
function writeOlderLink(asked: Query, columns: Rows["columns"], last: Row): Markup {
  const getCell = (name: string): string => String(last[columns.findIndex((c) => c.name === name)]);
  const place = { below_time: getCell("event_time"), below_key: getCell("event_key") };
  return html`<p><a href="${buildAddress({ ...asked, ...place })}">Older events</a></p>`;
}

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
