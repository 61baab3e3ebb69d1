import { writeCell } from "../../../base/html/cells.ts";
import { formatTimeText } from "../../../base/html/formats.ts";
import { type Content, html, type Markup } from "../../../base/html/markup.ts";
import { writeOutcome } from "../../../base/html/signs.ts";
import { textColumn } from "../../../base/rows/row.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { formatIso, parseSpaced } from "../../../base/time/text.ts";
import { isLinkable } from "../events/address.ts";
import { describeValue } from "../events/facets.ts";
import { newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";
import type { RecordedEvent } from "./recorded.ts";

const dayMs = 86_400_000;

/** What happened: who did what, when, from where, about what, and how it ended. */
export function writeFacts(visit: Visit, event: RecordedEvent): Markup {
  const { getText } = event;
  const facts: (readonly [string, Content])[] = [
    ["Time", writeTimes(visit, getText("event_time")!)],
    ["Event", writeName(event)],
    ["Outcome", writeResult(event)],
    ["Person", writePerson(visit, event)],
    ["Address", link(visit, event, "ip_address")],
    ["Object", writeObject(visit, event)],
    ["Request", writeRequest(event)],
    ["Source", getText("source")],
  ];
  const rows = facts.map(([name, content]) =>
    content === null || content === ""
      ? null
      : html`<dt>${name}</dt>
          <dd>${content}</dd>`,
  );
  return html`<div class="card">
    <div class="hd"><h2>What happened</h2></div>
    <div class="bd">
      <dl class="kv">${rows}</dl>
    </div>
  </div>`;
}

function writeTimes({ site, display }: Visit, time: string): Markup {
  const zones = [...new Set([display.zone, site.settings.config.timezone, "UTC"])];
  const texts = zones.map(
    (zone) => `${formatTimeText(time, { ...display, zone, seconds: true, day: true })} ${zone}`,
  );
  return html`${texts.join(" · ")}`;
}

function writeName({ getText }: RecordedEvent): Markup {
  const name = getText("event_name");
  const canonical = getText("canonical_name");
  const to = new URLSearchParams({ since: "7d", event: name ?? "none" }).toString();
  const shown = shortenMiddle(name ?? "not recorded");
  const also = canonical === null || canonical === name ? "" : `(${canonical}) `;
  return html`${isLinkable(name ?? "") ? html`<a href="/events?${to}">${shown}</a>` : shown}
    <span class="muted">${also}${getText("area") ?? "not in the reference"}</span>`;
}

function writeResult({ getText }: RecordedEvent): Markup {
  const kind = getText("denial_kind");
  const result = getText("event_result");
  return html`${writeOutcome(getText("outcome") ?? "unknown")}
    <span class="muted"
      >${kind === null ? null : describeValue("kind", kind)}
      ${result === null ? null : html`recorded as “${shortenMiddle(result)}”`}</span
    >`;
}

function writePerson(visit: Visit, event: RecordedEvent): Markup {
  const { getText } = event;
  const id = getText("user_id");
  return html`${link(visit, event, "actor")}
  ${id === null ? null : html`<span class="muted">user id ${id}</span>`}`;
}

/** A value of the event as cells show it, with a link in the days around the event. */
function link({ display }: Visit, { getText, row }: RecordedEvent, name: string): Markup | null {
  const value = getText(name);
  if (value === null) return null;
  const ms = parseSpaced(getText("event_time")!);
  const leads = newLeads({ since: formatIso(ms - dayMs), until: formatIso(ms + dayMs) });
  const column = textColumn(name);
  return writeCell(column, value, leads(column, value, row), display);
}

function writeObject(visit: Visit, event: RecordedEvent): Markup | null {
  const { getText } = event;
  const names = [
    "resource_name",
    "resource_path",
    "target_table",
    "target_resource_name",
    "affected_user",
  ];
  const parts = names.flatMap((name) => link(visit, event, name) ?? []);
  const id = link(visit, event, "resource_id");
  const type = getText("resource_type");
  if (parts.length === 0 && id === null) return null;
  return html`${parts.map((part, i) => html`${i === 0 ? null : " · "}${part}`)}
    <span class="muted"
      >${type === null ? null : shortenMiddle(type)} ${id === null ? null : html`id ${id}`}</span
    >`;
}

// The record has all.
const mostCharacters = 2000;

function writeRequest({ getText }: RecordedEvent): Markup | null {
  const request = [getText("verb"), getText("path")].filter((part) => part !== null).join(" ");
  if (request === "") return null;
  const operation = getText("operation");
  return html`<span class="mono">${request.slice(0, mostCharacters)}</span>
    ${operation === null ? null : html`<span class="muted">documented as <span class="mono">${operation}</span></span>`}`;
}
