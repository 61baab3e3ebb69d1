import { drawFindingPicture } from "../../../answers/findings/picture.ts";
import type { PictureEvent } from "../../../answers/findings/picture-marks.ts";
import { describeUsual, parseMeasures } from "../../../answers/findings/sentences.ts";
import type { QueuedFinding, ShownState } from "../../../answers/findings/queue.ts";
import { type Display, formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity, writeState } from "../../../base/html/signs.ts";

/** How many digits of an id pages show. */
export const shownDigits = 6;

/** The headline of a finding: addresses of the usual domain without it. */
export function writeHeadline(message: string, { domain }: Display): string {
  if (domain === undefined) return message;
  // Only where the domain ends there: other hosts begin like it.
  const usual = new RegExp(`(?<=[\\w.+-])@${RegExp.escape(domain)}(?![\\w-]|\\.\\w)`, "gi");
  return message.replaceAll(usual, "");
}

export function writeShownState(state: ShownState): Markup {
  return writeState(state === "new" ? "open" : state);
}

type QueueRow = {
  readonly isSelectable: boolean;
  readonly isFresh: boolean;
  readonly events: readonly PictureEvent[];
};

/** Writes a finding of the queue: sentence, usual values, picture, time and state; `select` is its checkbox. */
export function writeQueueRow(
  finding: QueuedFinding,
  display: Display,
  { isSelectable, isFresh, events }: QueueRow,
): Markup {
  const { findingId, severity, message, title, attack, lastAt, state, measures } = finding;
  const id = findingId.slice(0, shownDigits);
  const about = [id, title, attack].filter((part) => part !== "").join(" · ");
  const usual = describeUsual(parseMeasures(measures));
  const box = html`<input
    class="cb"
    type="checkbox"
    name="id"
    value="${findingId}"
    aria-label="Select ${id}"
  />`;
  return html`<div class="q" data-finding>
    <div class="cbx">${isSelectable ? box : null}</div>
    <div class="find ${severity === "critical" ? "c" : ""}">
      <div>${writeSeverity(severity)}</div>
      <div>
        <a class="ttl" href="/findings/${findingId}">${writeHeadline(message, display)}</a>
        ${isFresh ? html` <span class="sev info">new since yesterday</span>` : null}
        <div class="why">${about}${usual === undefined ? null : ` · ${usual}`}</div>
      </div>
      ${drawFindingPicture(finding, events, display.zone)}
      <div class="meta">${formatTime(lastAt, display)}<br />${writeShownState(state)}</div>
    </div>
  </div>`;
}
