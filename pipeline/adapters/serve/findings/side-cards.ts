import type { Finding } from "../../../answers/findings/find.ts";
import { formatDecision, type ShownFinding } from "../../../answers/findings/show.ts";
import { longestReason } from "../../../core/decide/checks.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import type { Filled } from "./forms.ts";
import { writeReason } from "./forms.ts";

/** The values of a finding's key that a suppression can cover, by column. */
export function listKeyValues({ key }: Pick<Finding, "key">): [column: string, value: string][] {
  const values = JSON.parse(key) as Readonly<Record<string, string | null>>;
  return Object.entries(values).flatMap(([column, value]) =>
    value === null || value === "" ? [] : [[column, value] satisfies [string, string]],
  );
}

/** Ends that the form offers; any other can be given in the preview. */
const ends = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["366d", "366 days"],
] as const;

/** The form of a suppression, which leads to a preview of what it hides. */
export function writeSuppressCard(visit: Visit, finding: Finding): Markup | null {
  if (getVisitor()?.isResponder !== true || finding.state === "withdrawn") return null;
  return html`<div class="card" id="suppress">
    <div class="hd"><h2>Suppress</h2></div>
    <div class="bd">
      <p class="small muted">
        Hides findings of this detection that match. The events stay. Every suppression ends by
        itself.
      </p>
      <form class="form mt12" action="${visit.path}/suppress">
        ${writeSuppressFields(finding, new Map(), {})}
        <button class="btn">Suppress…</button>
      </form>
    </div>
  </div>`;
}

export function writeSuppressFields(
  finding: Finding,
  chosen: ReadonlyMap<string, string>,
  filled: Filled,
): Markup {
  const pairs = listKeyValues(finding);
  const isChosen = (column: string): boolean =>
    chosen.size === 0 ? column !== "source" || pairs.length === 1 : chosen.has(column);
  const until = filled["until"] ?? "30d";
  const isOffered = ends.some(([value]) => value === until);
  return html`<fieldset class="plain">
      <legend>Only for</legend>
      ${pairs.map(
        ([column, value]) =>
          html`<label class="row"
            ><input
              class="cb"
              type="checkbox"
              name="where"
              value="${column}"
              ${isChosen(column) ? html` checked` : null}
            />
            ${nameKeyValue(column, value, finding)}</label
          >`,
      )}
    </fieldset>
    <label class="field"
      >Until
      <select name="until">
        ${isOffered ? null : html`<option value="${escapeField(until)}" selected>${until}</option>`}
        ${ends.map(
          ([value, label]) =>
            html`<option value="${value}" ${value === until ? html` selected` : null}>
              ${label}
            </option>`,
        )}
      </select></label
    >
    ${writeReason(filled)}`;
}

// An id of the subject is of little use without the name.
function nameKeyValue(column: string, value: string, { subject, subjectKind }: Finding): string {
  const words = `${column.replaceAll("_", " ")} ${value}`;
  const isSubject = column === "user_id" && subjectKind === "user";
  return isSubject ? `${subject} (${words})` : words;
}

export function writeNotesCard(
  visit: Visit,
  { finding, decisions }: ShownFinding,
  filled: Filled,
): Markup {
  const { display } = visit;
  const lines = decisions.map(
    (decision) =>
      html`<li>
        ${formatTime(decision.decidedAt, display)}
        <span class="kept">${formatDecision(decision)}</span>
      </li>`,
  );
  const text = filled["decision"] === "note" ? (filled["reason"] ?? "") : "";
  return html`<div class="card" id="notes">
    <div class="hd"><h2>Notes and history</h2></div>
    <div class="bd">
      <ul class="plain">
        <li>${formatTime(finding.raisedAt, display)} raised</li>
        ${lines}
      </ul>
      ${
        getVisitor()?.isResponder === true
          ? html`<form class="mt12" method="post" action="${visit.path}">
              ${visit.site.forms.write(visit.path)}
              <input type="hidden" name="decision" value="note" />
              <textarea
                name="reason"
                rows="2"
                required
                maxlength="${longestReason}"
                aria-label="Add a note"
                placeholder="Add a note"
              >
${escapeField(text)}</textarea>
              <button class="btn s mt8">Save note</button>
            </form>`
          : null
      }
    </div>
  </div>`;
}
