import { setTimeout as delay } from "node:timers/promises";
import { divideRange } from "../../../answers/events/buckets.ts";
import {
  type BucketCount,
  buildFacets,
  buildHistogram,
  readFacets,
  readHistogram,
} from "../../../answers/events/counts.ts";
import { readReach } from "../../../answers/report/reach.ts";
import { listUnreadWithin } from "../../../answers/report/unread.ts";
import { AuditlakeError, getMessage } from "../../../base/errors.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { formatTimeRange, formatTimeRangeText } from "../../../base/html/formats.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import type { Reach } from "../../../base/rows/row.ts";
import type { ParamValue } from "../../../base/sql/question.ts";
import { readSql } from "../../../base/sql/statements.ts";
import { formatIso } from "../../../base/time/text.ts";
import { ask, writeQuietLines } from "../ask.ts";
import { type Frame, writePage, writePageAround, writeProblem } from "../frame.ts";
import { tryPart } from "../pieces.ts";
import { describeUnknownFields, runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import {
  type Address,
  parseSearch,
  readAddress,
  type Search,
  searchParameters,
  writePlaceUrl,
  writeSearchUrl,
} from "./address.ts";
import { writeFacets } from "./facets.ts";
import { searchEvents, type SearchProgress } from "./find-events.ts";
import { writeChips, writeSearchForm, writeSuggestions } from "./form.ts";
import { writeHistogram } from "./histogram.ts";
import { writeEventList } from "./list.ts";
import { takePage } from "./listed-events.ts";

// A histogram within this time comes first, as displayed; a slower one follows the rows.
const patienceMs = 1000;

/** The events that fit a search: their histogram, the newest rows, and the values to filter by, in pieces. */
export async function* writeEventsPage(visit: Visit): AsyncGenerator<string> {
  const { site, gone, display } = visit;
  const address = readAddress(visit.params);
  const search = parseSearch(address, visit.range, site.world.now());
  logSearch(visit, address);
  const { source } = site.settings.flags;
  const reach = await ask(site, gone, (connection) => readReach(connection, source));
  const counting = countEvents(visit, search);
  counting.catch(() => undefined);
  const selection = search.isSelected
    ? formatTimeRangeText(
        formatIso(search.selected.startMs),
        formatIso(search.selected.endMs),
        display,
      )
    : undefined;
  const [before, after] = writePageAround(
    newFrame(visit),
    html`${writeUnknownFields(visit)} ${writeSearchForm(address, false)}
      <div class="row saved-searches" id="searches" hidden>
        <span class="small muted">Saved searches</span>
        <div class="row"></div>
      </div>
      ${writeChips(address, selection)} ${writeUnread(search, reach)}`,
    { scripts: [readAsset("pipeline/adapters/serve/events/search.js")] },
  );
  yield before;
  yield `<div class="split mt16"><div class="grid">`;
  const isQuick = await Promise.race([
    counting.then(
      () => true,
      () => true,
    ),
    delay(patienceMs, false, { ref: false }),
  ]);
  if (isQuick) yield await writeHistogramPart(visit, address, search, reach, counting);
  yield* writeRows(visit, address, search, isQuick ? counting : undefined);
  if (!isQuick) yield await writeHistogramPart(visit, address, search, reach, counting);
  yield "</div>";
  yield await writeFacetsPart(visit, address, search, selection);
  yield "</div>";
  yield after;
}

/** The page of a search that is refused: the fault, and the form with what was entered. */
export function writeRefusedSearch(visit: Visit, message: string): string {
  const address = readAddress(visit.params);
  return writePage(
    newFrame(visit),
    html`${writeProblem(message)} ${writeSearchForm(address, true)}
    ${writeChips(address, undefined)}`,
  );
}

function newFrame(visit: Visit): Frame {
  return { visit, page: "events", title: "Events", range: true };
}

function writeUnknownFields({ params }: Visit): Markup | null {
  const unknown = describeUnknownFields(Object.fromEntries(params), searchParameters);
  return unknown === undefined ? null : writeProblem(unknown);
}

/** Notes a search in the log of questions, with the range that it looks at. */
export function logSearch({ site, range }: Visit, address: Address): void {
  const asked = writeSearchUrl({ ...address, since: [range.since], until: [range.until] });
  site.asked.add("events", asked.slice(asked.indexOf("?") + 1));
}

// No events are found in what was not read.
function writeUnread({ range }: Search, reach: Reach): Markup[] {
  const toValue = (ms: number): ParamValue => ({ type: "timestamp", value: ms });
  const values = { since: toValue(range.startMs), until: toValue(range.endMs) };
  return writeQuietLines(listUnreadWithin(reach, [values]).map((line) => `note: ${line}`));
}

type Counts = { readonly counts: readonly BucketCount[]; readonly total: number };

async function countEvents({ site, gone, display }: Visit, search: Search): Promise<Counts> {
  const buckets = divideRange(search.range, display.zone);
  const statement = buildHistogram(search.filters, search.range, search.selected, buckets);
  const { columns, rows } = await runSearch(site, statement, gone);
  const counts = readHistogram(columns, rows);
  return { counts, total: counts.reduce((sum, { selected }) => sum + selected, 0) };
}

function writeHistogramPart(
  { display }: Visit,
  address: Address,
  search: Search,
  reach: Reach,
  counting: Promise<Counts>,
): Promise<string> {
  return tryPart(async () => {
    const { counts } = await counting;
    const buckets = divideRange(search.range, display.zone);
    return writeHistogram({ address, search, buckets, counts, reach, display });
  });
}

async function* writeRows(
  visit: Visit,
  address: Address,
  search: Search,
  counting: Promise<Counts> | undefined,
): AsyncGenerator<string> {
  let last: SearchProgress | undefined;
  let problem: Markup | null = null;
  try {
    for await (last of searchEvents(visit, search))
      if (!last.isEnd) yield getMarkupText(writeProgress(address, last));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    problem = writeProblem(getMessage(error));
  }
  const total = await counting?.then(
    (counts) => counts.total,
    () => undefined,
  );
  const answer = last === undefined ? null : writeAnswer(visit, address, search, last, total);
  yield getMarkupText(html`<div class="found">${problem}${answer}</div>`);
}

function writeProgress(address: Address, { reachedMs, events }: SearchProgress): Markup {
  const stop = writeSearchUrl({ ...address, from: [formatIso(reachedMs)] });
  return html`<p class="progress" role="status">
    Searched back to ${formatIso(reachedMs)}, found ${events.length}.
    <a href="${stop}">Stop here</a>
  </p>`;
}

function writeAnswer(
  { display, showsAllColumns }: Visit,
  address: Address,
  search: Search,
  { events, reachedMs, isEnd }: SearchProgress,
  total: number | undefined,
): Markup {
  const page = takePage(events, search.isFolded);
  const onward = writeSearchUrl({ ...address, to: [formatIso(reachedMs)] });
  const rest = isEnd
    ? null
    : html`<p class="mt12"><a href="${onward}">Search on before ${formatIso(reachedMs)}</a></p>`;
  if (page.runs.length === 0) return html`${writeNothing(address, search, display.zone)}${rest}`;
  const actions = writeActions(address, search);
  const list = { address, search, page, total, display, showsAll: showsAllColumns, actions };
  return html`${writeEventList(list)}${rest}`;
}

function writeNothing(address: Address, { selected }: Search, zone: string): Markup {
  const range = formatTimeRange(formatIso(selected.startMs), formatIso(selected.endMs), { zone });
  return html`<div class="card">
    <p class="bd">
      <b>No matching events</b> ${range}. Remove a filter above, or look at the
      <a href="${writeSearchUrl({ ...address, since: ["30d"], until: [], from: [], to: [] })}"
        >last 30 days</a
      >.
    </p>
  </div>`;
}

// Relative times would mean other events tomorrow.
function writeActions(address: Address, { range, place }: Search): Markup {
  const fixed = {
    ...address,
    since: [formatIso(range.startMs)],
    until: [formatIso(range.endMs)],
  };
  const permanent = place === undefined ? writeSearchUrl(fixed) : writePlaceUrl(fixed, place);
  return html`<div class="row">
    <button class="btn s" type="button" id="save-search" hidden>Save search</button>
    <a class="btn s" href="${permanent}">Permanent link</a>
    <a class="btn s" href="${writeSearchUrl(fixed, "/events/rows.csv")}">CSV</a>
    <a class="btn s only-w" href="${writeSearchUrl(fixed, "/events/sql")}">Edit in SQL</a>
  </div>`;
}

function writeFacetsPart(
  { site, gone, display: { domain } }: Visit,
  address: Address,
  search: Search,
  selection: string | undefined,
): Promise<string> {
  return tryPart(async () => {
    const { rows } = await runSearch(site, buildFacets(search.filters, search.selected), gone);
    const names = await runSearch(
      site,
      { sql: readSql("queries/pages/events/suggestions.sql"), values: {} },
      gone,
    );
    const listNames = (kind: string): string[] =>
      names.rows.flatMap(([of, name]) => (of === kind ? [String(name)] : []));
    return html`${writeFacets(address, readFacets(rows), selection ?? "of the range", domain)}
    ${writeSuggestions("people", listNames("email"))}
    ${writeSuggestions("databases", listNames("database"))}`;
  });
}
