import { BOOLEAN, VARCHAR } from "@duckdb/node-api";
import type { TableColumn } from "../../../base/html/columns.ts";
import { type Display, formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity, writeState } from "../../../base/html/signs.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Cell, Column, RowList } from "../../../base/rows/row.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import type { Statement } from "../../../base/sql/bind.ts";
import { readSql } from "../../../base/sql/statements.ts";
import { formatIso, parseSpaced } from "../../../base/time/text.ts";
import { isLinkable } from "../events/address.ts";
import { newLeads } from "../leads.ts";
import { runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import { findObject, type RecordedEvent } from "./recorded.ts";

const minuteMs = 60_000;

export async function writeFindings(visit: Visit, event: RecordedEvent): Promise<Markup> {
  const { rows } = await ask(visit, event, "findings", { event_key: event.getText("event_key") });
  const lines = rows.map(
    ([id, severity, title, message, state]) =>
      html`<p class="mt8">
        ${writeSeverity(String(severity))}
        <a href="/findings/${String(id)}">${title}</a> ${writeState(String(state))}<br /><span
          class="muted"
          >${message}</span
        >
      </p>`,
  );
  return html`<div class="card">
    <div class="hd"><h2>Findings</h2></div>
    <div class="bd">
      ${lines.length === 0 ? html`<p class="muted">No finding has this event as evidence.</p>` : lines}
    </div>
  </div>`;
}

/** Events of the same person within ten minutes, and of the same object within a day. */
export async function writeAround(visit: Visit, event: RecordedEvent): Promise<Markup> {
  const { getText } = event;
  const [actor, source] = [getText("actor"), getText("source")];
  const isKnown = actor !== null && actor !== "unknown";
  const ofPerson = isKnown ? await ask(visit, event, "person", { source, actor }) : undefined;
  const object = findObject(event);
  const ofObject =
    object === undefined
      ? undefined
      : await ask(
          visit,
          event,
          "object",
          { source, area: getText("area"), object: object.value },
          object.isName,
        );
  const cards = [
    ofPerson &&
      writeEvents(
        visit,
        event,
        ofPerson,
        `Events of ${shortenMiddle(actor!)}, 10 minutes before and after`,
        { person: actor! },
      ),
    ofObject &&
      writeEvents(visit, event, ofObject, "Events of the same object, a day before and after", {
        object: object!.value,
      }),
  ].filter((card) => card != null);
  return html`${cards.length === 0 ? null : html`<section class="grid">${cards}</section>`}`;
}

function ask(
  { site, gone }: Visit,
  { getText }: RecordedEvent,
  name: string,
  texts: Readonly<Record<string, string | null>>,
  isName?: boolean,
): Promise<RowList> {
  const given = Object.entries({ ...texts, moment: getText("event_time") });
  const values: Statement["values"] = {
    ...Object.fromEntries(given.map(([key, value]) => [key, { type: VARCHAR, value }])),
    ...(isName === undefined ? {} : { object_is_name: { type: BOOLEAN, value: isName } }),
  };
  return runSearch(site, { sql: readSql(`queries/pages/event/around.sql#${name}`), values }, gone);
}

function writeEvents(
  { display }: Visit,
  { getText }: RecordedEvent,
  { columns, rows }: RowList,
  title: string,
  filter: Readonly<Record<string, string>>,
): Markup | null {
  if (rows.length < 2) return null;
  const ms = parseSpaced(getText("event_time")!);
  const range = {
    since: formatIso(ms - 24 * 60 * minuteMs),
    until: formatIso(ms + 24 * 60 * minuteMs),
  };
  const within = newLeads(range);
  const keyAt = columns.findIndex(({ name }) => name === "event_key");
  return writeTable({
    label: title,
    title,
    columns: columns.map((column) => arrange(column, display)),
    rows,
    display,
    isEventList: true,
    leads: (column, cell, row) => {
      if (column.name === "event_key") return undefined;
      return column.name === "event_name"
        ? `/events/${String(row[keyAt])}`
        : within(column, cell, row);
    },
    isMarked: (row) => row[keyAt] === getText("event_key"),
    foot: Object.values(filter).every(isLinkable)
      ? html`<a href="/events?${new URLSearchParams({ ...range, ...filter }).toString()}"
          >All events around</a
        >`
      : undefined,
  });
}

function arrange(column: Column, display: Display): TableColumn {
  if (column.name === "event_name") return { ...column, title: "Event" };
  if (column.name !== "event_time") return column;
  const write = (cell: Cell): Markup => formatTime(String(cell), { ...display, seconds: true });
  return { ...column, title: `Time (${display.zone})`, write };
}
