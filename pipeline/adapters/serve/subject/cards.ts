import { drawShare } from "../../../answers/chart/scale.ts";
import type {
  ActorUse,
  AddressUse,
  DatabaseUse,
  NameUse,
} from "../../../answers/investigate/activity.ts";
import type { SubjectFinding } from "../../../answers/investigate/subject.ts";
import { type Content, html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity, writeState } from "../../../base/html/signs.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { writeCell } from "../../../base/html/cells.ts";
import { writeTable } from "../../../base/html/table.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { newLeads } from "../leads.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { cellOf, numberOf, textOf, timeOf } from "../columns.ts";

const rowsOfCard = 10;
const findingsOfCard = 5;
/** How many rows a card shows of what its link leads to. */
export const mostRowsOfCard = 1000;

/** Writes a tile: its name, amount and comparison. */
export function writeTile(
  name: string,
  value: Content,
  detail: Content,
  { href, isHigh = false }: { readonly href?: string; readonly isHigh?: boolean } = {},
): Markup {
  const isNothing = value === "0" || value === "0 bytes";
  const content = html`<div class="k">${name}</div>
    <div class="v${isHigh ? " up" : null}${isNothing ? " none" : null}">${value}</div>
    <div class="d">${detail}</div>`;
  return href === undefined
    ? html`<div class="card tile">${content}</div>`
    : html`<a class="card tile" href="${href}">${content}</a>`;
}

/** The first rows of a card, or all of them where the address asks for all. */
function limitRows<T>(visit: Visit, all: readonly T[], usual = rowsOfCard): readonly T[] {
  return all.slice(0, visit.showsAllRows ? mostRowsOfCard : usual);
}

/** What a card shows of all rows, with a link to all; nothing where it shows them. */
export function writeFoot(visit: Visit, id: string, shown: number, total: number) {
  if (shown >= total) return { id };
  const link = visit.showsAllRows
    ? null
    : html`<span class="sp"></span
        ><a href="${buildPageUrl(visit, { show: "all" })}#${id}">Show all</a>`;
  return { id, foot: html`<span>Showing ${countText(shown)} of ${countText(total)}</span>${link}` };
}

function leadsOf({ range }: Visit) {
  return newLeads({ since: range.since, until: range.until });
}

/** Findings about a subject; null without any. */
export function writeFindingsCard(
  visit: Visit,
  findings: readonly SubjectFinding[],
): Markup | null {
  if (findings.length === 0) return null;
  const shown = limitRows(visit, findings, findingsOfCard);
  const domain = visit.display.domain ?? "";
  return writeTable({
    label: "Open findings",
    title: "Open findings",
    display: visit.display,
    leads: (column, _cell, row) =>
      column.name === "message" ? `/findings/${String(row[4])}` : undefined,
    columns: [
      textOf("severity", "Severity", { write: (cell) => writeSeverity(String(cell)) }),
      textOf("message", "Finding", { isFlexible: true }),
      timeOf("last_at", "When", { isMinor: true }),
      textOf("state", "State", { isMinor: true, write: (cell) => writeState(String(cell)) }),
    ],
    rows: shown.map(({ id, severity, message, lastMs, state }) => [
      severity,
      shortenPeople(message, domain),
      cellOf(lastMs),
      state,
      id,
    ]),
    ...writeFoot(visit, "findings", shown.length, findings.length),
  });
}

// As everywhere else, addresses of the usual domain are shown without it.
function shortenPeople(message: string, domain: string): string {
  if (domain === "") return message;
  return message.replaceAll(new RegExp(`@${RegExp.escape(domain)}(?![\\w-]|\\.\\w)`, "gu"), "");
}

/** The addresses of events; new ones are marked. A narrow card is without the time of the last event; null without any. */
export function writeAddressesCard(
  visit: Visit,
  addresses: readonly AddressUse[],
  isNarrow: boolean,
): Markup | null {
  if (addresses.length === 0) return null;
  const shown = limitRows(visit, addresses);
  const leads = leadsOf(visit);
  const writeAddress = (column: TableColumn, use: AddressUse): Markup => {
    const text = use.ipAddress ?? "unknown";
    const address = writeCell(column, text, leads(column, text, []), visit.display);
    return use.isNew ? html`${address} <span class="sev info">new</span>` : address;
  };
  const address = textOf("ip_address", "Address");
  return writeTable({
    label: "Addresses",
    title: "Addresses",
    note: addresses.length > rowsOfCard ? `${countText(addresses.length)} addresses` : undefined,
    display: visit.display,
    columns: [
      {
        ...address,
        isFlexible: isNarrow,
        write: (_cell, row) => writeAddress(address, shown[Number(row[6])]!),
      },
      numberOf("events", "Events"),
      numberOf("refused", "Failed"),
      numberOf("others", "Others", { isMinor: true }),
      timeOf("first_seen", "First seen", { isMinor: true }),
      ...(isNarrow ? [] : [timeOf("last_seen", "Last seen", { isMinor: true })]),
    ],
    rows: shown.map((use, place) => [
      use.ipAddress ?? "unknown",
      use.events,
      use.refused,
      use.ipAddress === "internal" || use.ipAddress === null ? null : use.others,
      cellOf(use.seenMs ?? use.firstMs),
      cellOf(use.lastMs),
      place,
    ]),
    ...writeFoot(visit, "addresses", shown.length, addresses.length),
  });
}

/** Writes the databases of events or, with downloads, of their results; null without any. */
export function writeDatabasesCard(visit: Visit, all: readonly DatabaseUse[]): Markup | null {
  if (all.length === 0) return null;
  const isDownload = all.some(({ bytes }) => bytes !== null);
  const databases = isDownload ? all.filter(({ results }) => results > 0) : all;
  const shown = limitRows(visit, databases);
  const most = Math.max(
    ...databases.map(({ bytes, events }) => (isDownload ? (bytes ?? 0) : events)),
  );
  return writeTable({
    label: "Databases",
    title: isDownload ? "Downloaded from" : "Databases",
    note: formatCount(databases.length, "database"),
    display: visit.display,
    leads: leadsOf(visit),
    columns: [
      textOf("database_name", "Database", { isFlexible: true }),
      ...(isDownload
        ? [numberOf("results", "Results"), numberOf("bytes", "Size")]
        : [numberOf("events", "Events")]),
      numberOf("share", "Share", {
        write: (cell) => drawShare({ value: Number(cell), most, paint: isDownload ? "c1" : "c3" }),
        isMinor: true,
      }),
    ],
    rows: shown.map(({ databaseName, events, results, bytes }) => [
      databaseName,
      ...(isDownload ? [results, bytes] : [events]),
      isDownload ? (bytes ?? 0) : events,
    ]),
    ...writeFoot(visit, "databases", shown.length, databases.length),
  });
}

export function writeActorsCard(visit: Visit, actors: readonly ActorUse[]): Markup {
  const shown = limitRows(visit, actors);
  return writeTable({
    label: "People",
    title: "People",
    note: formatCount(actors.length, "account"),
    display: visit.display,
    leads: leadsOf(visit),
    columns: [
      textOf("actor", "Person", { isFlexible: true }),
      numberOf("events", "Events"),
      numberOf("refused", "Failed"),
      numberOf("bytes", "Downloaded"),
      timeOf("first_at", "First", { isMinor: true }),
      timeOf("last_at", "Last", { isMinor: true }),
    ],
    rows: shown.map((use) => [
      use.actor,
      use.events,
      use.refused,
      use.bytes,
      cellOf(use.firstMs),
      cellOf(use.lastMs),
    ]),
    ...writeFoot(visit, "people", shown.length, actors.length),
  });
}

export function writeNamesCard(visit: Visit, names: readonly NameUse[]): Markup {
  const shown = limitRows(visit, names);
  return writeTable({
    label: "What happened",
    title: "What happened",
    note: formatCount(names.length, "kind"),
    display: visit.display,
    leads: leadsOf(visit),
    columns: [
      textOf("event_name", "Event", { isFlexible: true }),
      numberOf("events", "Events"),
      numberOf("refused", "Failed or denied"),
      timeOf("last_at", "Last", { isMinor: true }),
    ],
    rows: shown.map((use) => [use.eventName, use.events, use.refused, cellOf(use.lastMs)]),
    ...writeFoot(visit, "names", shown.length, names.length),
  });
}
