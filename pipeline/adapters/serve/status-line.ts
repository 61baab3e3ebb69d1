import { html, type Markup } from "../../base/html/markup.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import type { Completeness } from "./frame-facts.ts";
import type { Visit } from "./visit.ts";

/** How complete the data is, in one line. */
export function writeStatusLine({ facts, display }: Pick<Visit, "facts" | "display">): Markup {
  if (facts === undefined)
    return html`<div class="status"><span class="lead">Completeness is being checked.</span></div>`;
  const { completeness } = facts;
  const { level, through, lastSuccess } = completeness;
  const toText = (time: string): string =>
    `${formatTimeText(time, { ...display, day: true })} ${display.zone}`;
  const lead =
    through === null ? "Nothing was read yet" : `Data complete through ${toText(through)}`;
  const failed =
    level === "bad" && lastSuccess !== null
      ? `the last scheduled run failed; the last success was ${toText(lastSuccess)}`
      : "";
  const parts = [failed, ...listParts(completeness)].filter((part) => part !== "");
  return html`<div class="status">
    <span class="lead"><span class="dot ${level}"></span><b>${lead}</b></span>
    ${parts.map((part) => html`<span class="sep only-w">·</span><span>${part}</span> `)}
    ${writeUnknown(completeness)}
    <span class="sp"></span><a href="/pipeline">Pipeline status</a>
  </div>`;
}

function listParts({ gaps, waiting, stuck }: Completeness): string[] {
  return [
    gaps === 0 ? "no gaps" : formatCount(gaps, "gap"),
    stuck === 0 ? "" : `${formatCount(stuck, "window")} incomplete`,
    waiting === 0 ? "" : `${formatCount(waiting, "window")} waiting for a second read`,
  ];
}

function writeUnknown({ unknownTypes }: Completeness): Markup | null {
  if (unknownTypes === 0) return null;
  return html`<span class="sep only-w">·</span
    ><span
      ><a href="/reports/unknown_events"
        >${formatCount(unknownTypes, "unknown event type")}</a
      ></span
    >`;
}
