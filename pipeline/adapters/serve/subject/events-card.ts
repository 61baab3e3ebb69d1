import { foldEvents, type Run } from "../../../answers/investigate/fold-events.ts";
import type { Range, SubjectKind } from "../../../answers/investigate/subject.ts";
import { formatTime, formatTimeRange } from "../../../base/html/formats.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { denialKinds } from "../../../base/html/signs.ts";
import { writeTable } from "../../../base/html/table.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { buildQuestion } from "../../../base/report/params.ts";
import { selectReports } from "../../../base/report/find.ts";
import type { Cell, Row } from "../../../base/rows/row.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso, parseSpaced } from "../../../base/time/text.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { buildPageUrl } from "../range.ts";
import { newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";
import { numberOf, textOf, timeOf } from "../columns.ts";

/** An entry of a timeline: an event, or one of several rights that it changed. */
type Entry = { readonly timeMs: number; readonly get: (name: string) => Cell };

/** The newest entries of a timeline, before a place in it. */
export type TimelinePage = {
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly entries: readonly Entry[];
  /** Where earlier entries start; undefined without any. */
  readonly earlier: string | undefined;
};

const entriesOfPage = 50;

/** Reads a page of the timeline of a subject, the newest entries of a range or those before a moment. */
export async function readTimelinePage(
  { site, params, gone }: Visit,
  connection: DuckDBConnection,
  kind: SubjectKind,
  subject: string,
  { sinceMs, untilMs }: Range,
): Promise<TimelinePage> {
  const [report] = selectReports(site.found().reports, [`${kind}_timeline`]);
  const before = params.get("before");
  const given = new Map([
    [kind, subject],
    ["since", formatIso(sinceMs)],
    ["until", formatIso(untilMs)],
    ["newest", String(entriesOfPage)],
    ...(before === null ? [] : [["before", before] as const]),
  ]);
  const question = buildQuestion(report!, given, untilMs);
  const { columns, batches } = await runStatement(connection, bindQuestion(question), gone);
  const places = new Map(columns.map((column, i) => [column.name, i]));
  const entries: Entry[] = [];
  for await (const batch of batches)
    for (const row of batch) {
      const get = (column: string): Cell => row[places.get(column)!] ?? null;
      entries.push({ timeMs: parseSpaced(String(get("event_time"))), get });
    }
  const first = entries[0];
  const isFull = entries.length >= entriesOfPage;
  return {
    kind,
    subject,
    entries: entries.toReversed(),
    earlier:
      first === undefined || !isFull
        ? undefined
        : formatIso(Math.floor(first.timeMs / 1000) * 1000),
  };
}

function describeEntry({ timeMs, get }: Entry) {
  const text = (name: string): string => String(get(name) ?? "");
  return {
    timeMs,
    source: text("source"),
    eventName: text("event_name"),
    outcome: text("outcome"),
    denialKind: text("entry") === "denial" ? text("detail") : null,
    person: text("actor"),
    address: get("ip_address") === null ? null : text("ip_address"),
  };
}

/** Writes the entries as a table, with one row for each run of equal events. */
export function writeEventsCard(visit: Visit, page: TimelinePage): Markup {
  const { entries, earlier, kind, subject } = page;
  const isFolded = visit.params.get("fold") !== "no";
  if (entries.length === 0) return writeNothing(visit, subject);
  const runs = isFolded
    ? foldEvents(entries, describeEntry)
    : entries.map((entry) => ({
        events: [entry] as [Entry],
        firstMs: entry.timeMs,
        lastMs: entry.timeMs,
      }));
  const events = new Set(entries.map(({ get }) => get("event_key"))).size;
  const { display } = visit;
  const leads = newLeads({ since: visit.range.since, until: visit.range.until });
  const csv = new URLSearchParams({
    [kind]: subject,
    since: visit.range.since,
    until: visit.range.until,
  });
  const rows = runs.map(listCells);
  return writeTable({
    label: "Timeline, the newest first",
    title: "Events",
    note: `${formatCount(events, "event")} in ${formatCount(rows.length, "row")}`,
    display,
    rows,
    isEventList: true,
    leads: (column, cell, row) => (isCountOfSeveral(cell) ? undefined : leads(column, cell, row)),
    columns: listColumns(visit, kind),
    actions: html`<a class="btn s" href="/reports/${kind}_timeline/rows.csv?${csv.toString()}"
      >CSV</a
    >`,
    showsAll: visit.showsAllColumns,
    foot: html`<span>CSV has all${isFolded ? ", unfolded" : null}</span
      ><span class="sp"></span
      >${earlier === undefined ? null : html`<a href="${buildPageUrl(visit, { before: earlier })}#events">Earlier events</a>`}
      ${
        isFolded
          ? html`<a href="${buildPageUrl(visit, { fold: "no" })}#events">Unfold</a>`
          : html`<a href="${buildPageUrl(visit, { fold: null })}#events">Fold</a>`
      } <a href="/reports/${kind}_timeline?${csv.toString()}">As a report</a>`,
  });
}

// The title of the page has it: its one value is not repeated beside the heading.
const isSubject = { isHidden: true, write: () => undefined };

// What a query read and wrote is the subject of a job.
function listColumns(visit: Visit, kind: SubjectKind): TableColumn[] {
  return [
    timeOf("event_time", `Time (${visit.display.zone})`, {
      write: (cell, row) => writeTime(visit, cell, row[lastPlace] ?? null),
    }),
    textOf("outcome", "Outcome"),
    textOf("event_name", "Event", { write: (cell, row) => writeName(cell, row) }),
    textOf("actor", "Person", kind === "user" ? isSubject : {}),
    textOf("object", "On", { isFlexible: true }),
    textOf("detail", "What"),
    textOf("first_seen", "First seen"),
    textOf("affected", "Affected"),
    numberOf("bytes", "Size"),
    textOf("ip_address", "Address", kind === "address" ? isSubject : {}),
    textOf("tables_read", "Tables read", { isHidden: kind !== "job" }),
    textOf("tables_written", "Tables written", { isHidden: kind !== "job" }),
    { ...textOf("event_key", "Event key"), isHidden: true },
    textOf("events", "Events of the row", {
      isHidden: true,
      write: (cell) => html`${String(cell)}`,
    }),
    timeOf("first_at", "First of the row", {
      isHidden: true,
      write: (cell) => formatTime(String(cell), visit.display),
    }),
  ];
}

const [keyPlace, countPlace, lastPlace] = [12, 13, 14];

// What differs in a run is counted; what differs in one event is listed.
const countOfSeveral = /^\d+ (?:databases|objects|kinds|affected|lists)$/;

function isCountOfSeveral(cell: Cell): boolean {
  return countOfSeveral.test(String(cell)) || String(cell).includes(", ");
}

function writeNothing(visit: Visit, subject: string): Markup {
  return html`<div class="card">
    <p class="bd">
      <b>No events of ${subject}</b> in this range. Look at the
      <a href="${buildPageUrl(visit, { since: "30d", until: null, before: null })}">last 30 days</a
      >, or
      <a href="/events?${new URLSearchParams({ text: subject }).toString()}">search all texts</a>.
    </p>
  </div>`;
}

function listCells(run: Run<Entry>): Row {
  const [newest] = run.events;
  const keys = new Set(run.events.map(({ get }) => get("event_key")));
  const several = (name: string, things: string): Cell => {
    const values = new Set(run.events.flatMap(({ get }) => get(name) ?? []));
    if (keys.size === 1) return values.size === 0 ? null : [...values].join(", ");
    return values.size > 1 ? `${values.size} ${things}` : (values.values().next().value ?? null);
  };
  const marks = new Set(
    run.events.flatMap(({ get }) =>
      get("first_seen") === null ? [] : String(get("first_seen")).split(", "),
    ),
  );
  // Several rights of one event have its size each.
  const sizes = new Map(run.events.map(({ get }) => [get("event_key"), Number(get("bytes") ?? 0)]));
  const bytes = [...sizes.values()].reduce((total, size) => total + size, 0);
  return [
    new Date(run.lastMs).toISOString(),
    newest.get("outcome"),
    newest.get("event_name"),
    newest.get("actor"),
    keys.size > 1 && listDatabases(run).length > 1
      ? `${listDatabases(run).length} databases`
      : several("object", "objects"),
    describeDetail(several("detail", "kinds")),
    marks.size === 0 ? null : [...marks].join(", "),
    several("affected", "affected"),
    run.events.every(({ get }) => get("bytes") === null) ? null : bytes,
    newest.get("ip_address"),
    several("tables_read", "lists"),
    several("tables_written", "lists"),
    newest.get("event_key"),
    String(keys.size),
    new Date(run.firstMs).toISOString(),
  ];
}

function describeDetail(detail: Cell): Cell {
  return denialKinds[String(detail)] ?? detail;
}

function listDatabases({ events }: Run<Entry>): Cell[] {
  return [...new Set(events.flatMap(({ get }) => get("database_name") ?? []))];
}

function writeTime({ display }: Visit, last: Cell, first: Cell): Markup {
  if (first === last) return formatTime(String(last), { ...display, seconds: true });
  return formatTimeRange(String(first), String(last), display);
}

function writeName(name: Cell, row: Row): Markup {
  const times = Number(row[countPlace]);
  const link = html`<a href="/events/${String(row[keyPlace])}">${String(name)}</a>`;
  return times > 1 ? html`${link} <span class="sev info">× ${times}</span>` : link;
}
