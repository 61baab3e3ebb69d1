import { formatDay } from "../../../base/time/text.ts";
import type { SourceStatus } from "../../../answers/status/print.ts";
import type { DayState, WindowDay } from "../../../answers/status/window-days.ts";
import { formatTime, formatTimeRange, formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import type { Facts } from "../../../base/sql/facts.ts";
import { countText, formatCount, formatDuration } from "../../../base/terminal/amounts.ts";
import type { Visit } from "../visit.ts";

const words: Readonly<Record<DayState, string>> = {
  gap: "coverage gap",
  unread: "not read",
  open: "open",
  closed: "read, second read pending",
  verified: "verified complete",
};
const utc = { zone: "UTC" };
const none = html`<span class="muted">—</span>`;

/** A source: how far it was read and verified, its last days, gaps, late events and what needs action. */
export function writeSource(
  source: SourceStatus,
  days: readonly WindowDay[],
  { display }: Visit,
): Markup {
  const { totals, gaps, lateness, warnings, windows } = source;
  const time = (name: string): Markup => {
    const value = totals[name];
    return typeof value === "string" ? formatTime(value, { ...display, day: true }) : none;
  };
  return html`<div class="card mt12">
    <div class="hd">
      <h2>${source.source}</h2>
      <span class="muted">${formatCount(Number(totals["events"] ?? 0), "event")}</span>
    </div>
    <div class="bd">
      ${writeStrip(days)}
      <dl class="kv mt12">
        <dt>Data complete through</dt>
        <dd>${time("read_up_to")}</dd>
        <dt>Verified complete through</dt>
        <dd>${time("final_up_to")}</dd>
        <dt>Last scheduled run</dt>
        <dd>${totals["last_success"] === null ? "none yet" : time("last_success")}</dd>
        <dt>Newest event</dt>
        <dd>${time("last_event")}</dd>
        <dt>Windows</dt>
        <dd>
          ${windows.map((each, i) => html`${i === 0 ? "" : ", "}${countText(Number(each["windows"]))} ${String(each["state"])}`)}
        </dd>
        <dt>Coverage gaps</dt>
        <dd>
          ${gaps.length === 0 ? "none" : gaps.map((gap) => html`<div>${writeGap(gap, display)}</div>`)}
        </dd>
        <dt>Late events</dt>
        <dd>${lateness.length === 0 ? "none seen" : writeLateness(lateness)}</dd>
      </dl>
      ${warnings.map((warning) => html`<p class="mt12">${writeWarning(warning, display)}</p>`)}
    </div>
  </div>`;
}

// Warnings are written for terminals: a page shows times as everywhere else, and what to run as code.
function writeWarning(warning: string, display: Visit["display"]): Markup {
  const [, text = warning, command] = /^(.*\brun )(auditlake .*)$/s.exec(warning) ?? [];
  const shown = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    formatTimeText(time, display),
  );
  return html`${shown}${command === undefined ? null : html`<code>${command}</code>`}`;
}

// A day per column; the worst state of its windows in colour and in words.
function writeStrip(days: readonly WindowDay[]): Markup | null {
  const first = days.findIndex(({ events, state }) => events > 0 || state !== "unread");
  if (first < 0) return null;
  const shown = days.slice(first);
  const cells = shown.map(({ day, events, state }) => {
    const name = `${formatTimeText(day, utc)}: ${words[state]}, ${formatCount(events, "event")}`;
    return html`<a
      class="wd ${state}"
      href="/events?since=${day}&until=${nextDay(day)}"
      title="${name}"
      aria-label="${name}"
    ></a>`;
  });
  const used = [...new Set(shown.map(({ state }) => state))];
  return html`<div class="strip" role="group" aria-label="Windows by day (UTC)">${cells}</div>
    <div class="foot ends" aria-hidden="true">
      <span>${formatTimeText(shown[0]!.day, utc)}</span><span class="sp"></span
      ><span>${formatTimeText(shown.at(-1)!.day, utc)}</span>
    </div>
    <div class="lg mt8">
      ${used.map((state) => html`<span class="swl"><i class="wd ${state}"></i>${words[state]}</span> `)}
    </div>`;
}

function nextDay(day: string): string {
  return formatDay(Date.parse(day) + 86_400_000);
}

function writeGap(gap: Facts, display: Visit["display"]): Markup {
  const [start, end] = [gap["gap_start"], gap["gap_end"]].map(String);
  return formatTimeRange(start!, end!, display);
}

function writeLateness(lateness: readonly Facts[]): Markup {
  const total = lateness.reduce((sum, each) => sum + Number(each["late_events"]), 0);
  const most = Math.max(...lateness.map((each) => Number(each["max_seconds"])));
  return html`${formatCount(total, "event")} of ${formatCount(lateness.length, "type")}, at most
  ${formatDuration(most)} late`;
}
