import { longestReason } from "../../../core/decide/checks.ts";
import { verdicts } from "../../../core/detect/decisions.ts";
import type { QueueState } from "../../../answers/findings/queue.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";

/** For how long a page offers to undo an acknowledgement. */
export const undoMs = 10_000;

export type Filled = Readonly<Record<string, string>>;

const verdictLabels: Readonly<Record<(typeof verdicts)[number], string>> = {
  "true-positive": "True positive",
  benign: "Benign",
  "false-positive": "False positive",
};

/** The fields of a close: verdict and reason. */
export function writeCloseFields(filled: Filled): Markup {
  return html`<label class="field"
      >Close as
      <select name="as">
        ${verdicts.map(
          (verdict) =>
            html`<option value="${verdict}" ${filled["as"] === verdict ? html` selected` : null}>
              ${verdictLabels[verdict]}
            </option>`,
        )}
      </select></label
    >
    ${writeReason(filled)}
    <button class="btn pri" name="decision" value="close">Close</button>`;
}

export function writeReason(filled: Filled): Markup {
  return html`<label class="field grow"
    >Reason (required)<input
      name="reason"
      required
      maxlength="${longestReason}"
      placeholder="Ticket or sentence"
      autocomplete="off"
      value="${escapeField(filled["reason"] ?? "")}"
  /></label>`;
}

/** The buttons above the queue, for the findings that are selected. */
export function writeBulkForms(state: QueueState, filled: Filled, note: Markup): Markup {
  const canAcknowledge = state === "open" || state === "new" || state === "all";
  const canReopen = state === "closed" || state === "acknowledged" || state === "all";
  const canClose = state !== "closed";
  const isOpen = filled["decision"] === "close";
  return html`<div class="foot first">
    <label class="row" data-all hidden
      ><input type="checkbox" class="cb" aria-label="Select all" /> Select all</label
    >
    <span class="row">
      ${canAcknowledge ? writeButton("acknowledge", "Acknowledge") : null}
      ${canReopen ? writeButton("reopen", "Reopen") : null}
      ${
        canClose
          ? html`<details class="custom" ${isOpen ? html` open` : null}>
              <summary class="btn s">Close…</summary>
              <div class="card form pop left">${writeCloseFields(filled)}</div>
            </details>`
          : null
      }
    </span>
    <span class="sp"></span>${note}
  </div>`;
}

/** A button that decides at once; it needs no reason. */
export function writeButton(decision: string, label: string, isPrimary = false): Markup {
  return html`<button
    class="btn ${isPrimary ? "pri" : "s"}"
    name="decision"
    value="${decision}"
    formnovalidate
  >
    ${label}
  </button>`;
}

/** The offer to undo what the person has just acknowledged; it disappears by itself. */
export function writeUndo(visit: Visit, acknowledged: readonly string[]): Markup | null {
  if (acknowledged.length === 0 || getVisitor()?.isResponder !== true) return null;
  return html`<form
    class="note undo"
    method="post"
    action="${buildPageUrl(visit, {})}"
    role="status"
  >
    ${visit.site.forms.write(visit.path)}
    <input type="hidden" name="reason" value="undone" />
    ${acknowledged.map((id) => html`<input type="hidden" name="id" value="${id}" />`)}
    <span>Acknowledged ${formatCount(acknowledged.length, "finding")}.</span>
    <button class="btn s" name="decision" value="reopen">Undo</button>
  </form>`;
}
