import { AuditlakeError, messageOf, UsageError } from "../../base/errors.ts";
import { html, type Markup, markupText } from "../../base/html/markup.ts";
import { htmlTable, type Leads } from "../../base/html/document.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { field, problem, sitePage, sitePageAround } from "./layout.ts";
import { leadsWithin, timelineOf } from "./leads.ts";
import { reachOfRange } from "./ask.ts";
import { foundBy, type Query, rangeOf, search, type Searched, unknownFields } from "./search.ts";
import type { Site } from "./site.ts";
import { statementOf } from "../../base/sql/bind.ts";
import { eventQuestion } from "../../answers/ask/question.ts";

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
export async function* eventsPieces(
  site: Site,
  query: Query,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const unknown = unknownFields(query, known);
  const asked = readQuery(query);
  const range = rangeOf(asked, site.world.now());
  const searched = search(site, asked, rowsOfPage + 1, gone);
  const first = await searched.next();
  const reach = await reachOfRange(site, range, gone);
  const [before, after] = sitePageAround(
    "Events",
    html`${unknown ? problem(unknown) : null} ${form(asked)} ${timelinesOf(asked)} ${reach}`,
  );
  yield before;
  yield* answerPieces(asked, first.value!, searched);
  yield after;
}

/** The page of a search that is refused: the fault, and the form with what was entered. */
export function refusedSearch(query: Query, message: string): string {
  return sitePage("Events", html`${problem(message)} ${form(readQuery(query))}`);
}

// The page has started, so a later error is shown below the events found so far.
async function* answerPieces(
  asked: Query,
  first: Searched,
  rest: AsyncGenerator<Searched>,
): AsyncGenerator<string> {
  let last = first;
  try {
    if (!last.isEnd) yield markupText(progress(asked, last));
    for await (last of rest) if (!last.isEnd) yield markupText(progress(asked, last));
    yield markupText(answerOf(asked, last));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    yield markupText(html`${problem(messageOf(error))}${answerOf(asked, last)}`);
  }
}

function progress(asked: Query, { reached, rows }: Searched): Markup {
  const address = addressOf({ ...asked, since: reached });
  return html`<p class="progress" role="status">
    Searched back to ${reached}, found ${rows.length}. <a href="${address}">Stop here</a>
  </p>`;
}

function answerOf(asked: Query, { columns, rows, reached, isEnd }: Searched): Markup {
  const shown = rows.slice(0, rowsOfPage);
  const onward = addressOf({ ...asked, until: reached });
  return html`<div class="found">
    ${shown.length === 0 ? html`<p>No events fit.</p>` : tableOf(asked, columns, shown)}
    ${rows.length > rowsOfPage ? older(asked, columns, shown.at(-1)!) : null}
    ${isEnd ? null : html`<p><a href="${onward}">Search on before ${reached}</a></p>`}
  </div>`;
}

function tableOf(asked: Query, columns: Rows["columns"], rows: readonly Row[]): Markup {
  const { since, until } = asked;
  const within = leadsWithin({ since: since!, until: until! });
  const keyAt = columns.findIndex(({ name }) => name === "event_key");
  const leads: Leads = (column, cell, row) =>
    column.name === "event_time" ? `/events/${String(row[keyAt])}` : within(column, cell, row);
  return htmlTable(columns.slice(0, keyAt), rows, "Events that fit, the newest first", leads);
}

function addressOf(asked: Query): string {
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

function form(asked: Query): Markup {
  return html`<form action="/events" class="fields">
    ${fields.map(([name, label, hint]) => field(name, label, asked[name] ?? "", hint))}
    <button>Search</button>
  </form>`;
}

// What a search names has a timeline of its own, with changes of rights, jobs, first times and sessions.
const subjects = [
  ["person", "user"],
  ["address", "address"],
  ["object", "resource"],
] as const;

function timelinesOf(asked: Query): Markup[] {
  const { since = "", until = "" } = asked;
  return subjects.flatMap(([name, kind]) => {
    const subject = asked[name];
    if (subject === undefined) return [];
    const to = timelineOf(kind, subject, { since, until });
    return [html`<p><a href="${to}">Timeline of ${subject}</a></p>`];
  });
}

// The next page begins below the last event of this one, so events that arrive meanwhile do not shift it.
function older(asked: Query, columns: Rows["columns"], last: Row): Markup {
  const at = (name: string): string => String(last[columns.findIndex((c) => c.name === name)]);
  const place = { below_time: at("event_time"), below_key: at("event_key") };
  return html`<p><a href="${addressOf({ ...asked, ...place })}">Older events</a></p>`;
}

/** Everything that one event says; throws UsageError where the key is none, or that of no event. */
export async function eventPage(site: Site, key: string, gone: AbortSignal): Promise<string> {
  const statement = statementOf(eventQuestion(key));
  site.asked.add("event", key);
  const { columns, rows } = await foundBy(site, statement, gone);
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
