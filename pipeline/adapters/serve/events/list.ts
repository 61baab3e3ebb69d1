import type { Run } from "../../../answers/investigate/fold-events.ts";
import { type Display, formatTime, formatTimeRange } from "../../../base/html/formats.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { html, type Content, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Row } from "../../../base/rows/row.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso } from "../../../base/time/text.ts";
import { textOf } from "../columns.ts";
import { newLeads } from "../leads.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import {
  type Address,
  changeAddress,
  isLinkable,
  type Search,
  writePlaceUrl,
  writeSearchUrl,
} from "./address.ts";
import type { EventPage, ListedEvent } from "./listed-events.ts";
import { describeValue } from "./facets.ts";

export type EventList = {
  readonly address: Address;
  readonly search: Search;
  readonly page: EventPage;
  /** All events of the selection; undefined while they are being counted. */
  readonly total: number | undefined;
  readonly display: Display;
  readonly showsAll: boolean;
  readonly actions: Content;
};

/** A page of events as a table: a row each, or one for a run of equal events. */
export function writeEventList(list: EventList): Markup {
  const { address, search, page, total, display, showsAll, actions } = list;
  const { startMs, endMs } = search.selected;
  const [since, until] = [formatIso(startMs), formatIso(endMs)];
  const leads = newLeads({ since, until });
  return writeTable({
    label: "Events, the newest first",
    title: writeTitle(search, page, total),
    note: search.isSelected ? formatTimeRange(since, until, display) : undefined,
    columns: listColumns(address, page.runs, display),
    rows: page.runs.map(writeRow),
    display,
    // The name of the event leads there already.
    leads: (column, cell, row) =>
      column.name === "event_key" ? undefined : leads(column, cell, row),
    isEventList: true,
    besideWidth: 252,
    showsAll,
    actions,
    foot: writeFoot(list),
  });
}

function writeTitle({ isSelected }: Search, { events }: EventPage, total = events): string {
  return isSelected ? `${formatCount(total, "event")} selected` : formatCount(total, "event");
}

function writeFoot({ address, search, page, total }: EventList): Markup {
  const { runs, events, next } = page;
  const isAll = next === undefined && search.place === undefined;
  const of = total === undefined || isAll ? "" : ` of ${countText(total)}`;
  const folded =
    events === runs.length
      ? ""
      : ` in ${formatCount(runs.length, "row")}: runs of equal events are folded`;
  const things = events === 1 && of === "" ? "event" : "events";
  const older =
    next === undefined ? null : html`<a href="${writePlaceUrl(address, next)}">Older events</a>`;
  const fold = search.isFolded
    ? html`<a href="${writeSearchUrl(changeAddress(address, { fold: ["no"] }))}">Unfold</a>`
    : html`<a href="${writeSearchUrl(changeAddress(address, { fold: [] }))}">Fold</a>`;
  return html`<span>Showing ${countText(events)}${of} ${things}${folded}</span
    ><span class="sp"></span>${older} ${fold}`;
}

type Listed = Run<ListedEvent>;

function listColumns(address: Address, runs: readonly Listed[], display: Display): TableColumn[] {
  const at = new Map(runs.map((run) => [run.events[0].getText("event_key")!, run]));
  const findRun = (row: Row): Listed => at.get(String(row[row.length - 1]))!;
  return [
    {
      ...textOf("event_time", `Time (${display.zone})`),
      type: "TIMESTAMP",
      kind: "time",
      write: (_cell, row) => writeTime(findRun(row), display),
    },
    textOf("outcome", "Outcome"),
    textOf("event_name", "Event", { write: (_cell, row) => writeEvent(address, findRun(row)) }),
    textOf("actor", "Person"),
    textOf("ip_address", "Address"),
    textOf("denial_kind", "Kind", { isMinor: false }),
    textOf("resource_name", "Object", {
      isFlexible: true,
      write: (cell, row) =>
        writeSeveral(findRun(row), "resource_name") ??
        (cell === null ? writeRequest(findRun(row)) : undefined),
    }),
    ...[
      ["tables_read", "Tables read"],
      ["tables_written", "Tables written"],
    ].map(([name, title]) =>
      textOf(name!, title!, { write: (_cell, row) => writeSeveral(findRun(row), name!) }),
    ),
    textOf("path", "Request", { isHidden: true }),
    textOf("area", "Area", { isHidden: true }),
    textOf("operation", "Operation", { isHidden: true }),
    textOf("resource_id", "Object id", { isHidden: true }),
    textOf("source", "Source", { isHidden: true }),
    textOf("event_key", "Event key", { isHidden: true }),
  ];
}

function writeRow(run: Listed): Row {
  const { getText } = run.events[0];
  const kind = getText("kind");
  return [
    getText("event_time"),
    getText("outcome"),
    getText("event"),
    getText("person"),
    getText("address"),
    kind === null ? null : describeValue("kind", kind),
    getText("resource_name") ?? getText("resource_id"),
    getText("tables_read"),
    getText("tables_written"),
    readRequest(run),
    getText("area"),
    getText("operation"),
    getText("resource_id"),
    getText("source"),
    getText("event_key"),
  ];
}

// Events of a run may be about several objects.
function writeSeveral({ events }: Listed, name: string): Markup | undefined {
  const values = new Set(events.map(({ getText }) => getText(name)));
  return values.size < 2
    ? undefined
    : html`<span class="muted">${countText(values.size)} different</span>`;
}

function writeRequest(run: Listed): Markup | undefined {
  const text = readRequest(run);
  if (text === null) return undefined;
  const several = writeSeveral(run, "path");
  return (
    several ?? html`<span class="mono muted lim" title="${cutText(text)}">${cutText(text)}</span>`
  );
}

function readRequest({ events: [{ getText }] }: Listed): string | null {
  const parts = [getText("verb"), getText("path")].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" ");
}

// The page of the event has all.
function cutText(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function writeTime({ events, firstMs, lastMs }: Listed, display: Display): Markup {
  if (events.length > 1) return formatTimeRange(formatIso(firstMs), formatIso(lastMs), display);
  return formatTime(events[0].getText("event_time")!, { ...display, seconds: true });
}

// The kind says it.
const impliedSuffix = ".column_visibility_violation";

function writeEvent(address: Address, run: Listed): Markup {
  const { getText } = run.events[0];
  const name = getText("event") ?? "not recorded";
  const isImplied = getText("kind") === "column_visibility_denial" && name.endsWith(impliedSuffix);
  const shown = isImplied ? name.slice(0, -impliedSuffix.length) : name;
  return html`<a href="/events/${getText("event_key")}" title="${cutText(name)}"
      >${shortenMiddle(shown)}</a
    >${writeCount(address, run)}`;
}

// The events of a run alone.
function writeCount(address: Address, { events, firstMs, lastMs }: Listed): Markup | null {
  if (events.length === 1) return null;
  const { getText } = events[0];
  const only = (name: string): readonly string[] => [getText(name) ?? "none"];
  const label = `× ${countText(events.length)}`;
  const tone = ["failed", "denied"].includes(getText("outcome") ?? "") ? "high" : "info";
  if (["event", "person", "address"].some((name) => !isLinkable(getText(name) ?? "")))
    return html` <span class="sev ${tone}">${label}</span>`;
  const changes = {
    from: [formatIso(firstMs)],
    to: [formatIso(lastMs + 1)],
    event: only("event"),
    person: only("person"),
    address: only("address"),
    outcome: only("outcome"),
    fold: ["no"],
  };
  return html` <a class="sev ${tone}" href="${writeSearchUrl(changeAddress(address, changes))}"
    >${label}</a
  >`;
}
