import { severities } from "../../../../schemas/detections.ts";
import { type QueueState, queueStates, type StateCount } from "../../../answers/findings/queue.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import type { QueueRequest } from "./filter.ts";

/** Adds up a column of the counts over the states that a tab has. */
export function sumCounts(
  counts: readonly StateCount[],
  state: QueueState,
  column: "findings" | "outside" | "added",
): number {
  return counts
    .filter((each) => queueStates[state].some((name) => name === each.state))
    .reduce((total, each) => total + each[column], 0);
}

const tabs: readonly (readonly [QueueState, string])[] = [
  ["open", "Open"],
  ["new", "New"],
  ["acknowledged", "Acknowledged"],
  ["closed", "Closed"],
  ["suppressed", "Suppressed"],
  ["withdrawn", "Withdrawn"],
  ["all", "All"],
];

/** States as tabs with their counts, and the other filters. */
export function writeFilterBar(
  visit: Visit,
  { filter }: QueueRequest,
  counts: readonly StateCount[],
): Markup {
  const links = tabs.map(([state, label]) => {
    const href = buildPageUrl(visit, { state: state === "open" ? null : state, page: null });
    const isCurrent = state === filter.state;
    return html`<a href="${href}" ${isCurrent ? html` aria-current="true"` : null}
      >${label} ${countText(sumCounts(counts, state, "findings"))}</a
    >`;
  });
  const kept = [...visit.params].filter(([name]) => ["state", "since", "until"].includes(name));
  const detections = visit.site
    .found()
    .reports.filter(({ detection }) => detection !== undefined)
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
  return html`<div class="row">
    <div class="seg tabs" role="group" aria-label="State">${links}</div>
    <form class="row" action="/findings">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${escapeField(value)}" />`)}
      <select name="severity" aria-label="Severity" data-sends>
        ${writeOption("", "Any severity", filter.severity === "info")}
        ${severities
          .slice(1)
          .toReversed()
          .map((each) =>
            writeOption(
              each,
              each === "critical" ? "Critical" : `${capitalize(each)} and above`,
              each === filter.severity,
            ),
          )}
      </select>
      <select name="detection" aria-label="Detection" data-sends>
        ${writeOption("", "Any detection", filter.detection === undefined)}
        ${detections.map(({ name, title }) => writeOption(name, title, name === filter.detection))}
      </select>
      <input
        type="search"
        name="search"
        size="24"
        aria-label="Search findings"
        placeholder="Person, address, technique"
        value="${escapeField(filter.search ?? "")}"
      />
      <button class="btn">Filter</button>
    </form>
    ${writeSubject(visit, filter.subject)}
  </div>`;
}

const capitalize = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

function writeOption(value: string, label: string, isChosen: boolean): Markup {
  return html`<option value="${value}" ${isChosen ? html` selected` : null}>${label}</option>`;
}

function writeSubject(visit: Visit, subject: string | undefined): Markup | null {
  if (subject === undefined) return null;
  return html`<span class="chip"
    ><span>Subject</span> ${subject}
    <a
      href="${buildPageUrl(visit, { subject: null, page: null })}"
      aria-label="Remove the filter of the subject"
      >×</a
    ></span
  >`;
}
