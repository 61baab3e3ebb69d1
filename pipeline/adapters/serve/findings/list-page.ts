import { readAsset } from "../../../base/home/assets.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePage } from "../frame.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import { readQueueRequest } from "./filter.ts";
import { writeBulkForms, writeUndo } from "./forms.ts";
import { readOwnDecisions } from "./own-decisions.ts";
import { shareQueueList } from "./queue-list.ts";

/** What a page shows above its content after a form: what went wrong, and what had been filled in. */
export type FormNote = {
  readonly problem: string;
  readonly filled: Readonly<Record<string, string>>;
};

const order = html`<span>Severity, new before acknowledged, newest first</span>`;

/** The queue of findings, the most severe first. Throws UsageError for a bad filter. */
export async function writeFindingsPage(visit: Visit, note?: FormNote): Promise<string> {
  const request = readQueueRequest(visit);
  const { state } = request.filter;
  visit.site.asked.add("findings", visit.params.toString());
  const isSelectable = getVisitor()?.isResponder === true && state !== "withdrawn";
  // Reads decisions first, so that a decision between both reads becomes a conflict and is not overlooked.
  const { acknowledged, newestAt } = await readOwnDecisions(visit);
  const { summary, top, rows, rest } = await shareQueueList(visit, request, isSelectable);
  const bulk = isSelectable ? writeBulkForms(state, note?.filled ?? {}, order) : undefined;
  return writePage(
    {
      visit: { ...visit, range: request.range },
      page: "findings",
      title: "Findings",
      subtitle: summary,
      actions: html`<a class="btn" href="/findings/detections">Detections</a>
        <a class="btn" href="/findings/suppressions">Suppressions</a>`,
      range: true,
    },
    html`${note === undefined ? null : html`<p class="bad" role="alert">${note.problem}</p>`}
    ${writeUndo(visit, acknowledged)} ${top}
    ${rows === null ? null : writeCard(visit, rows, bulk, newestAt)} ${rest}`,
    { scripts: [readAsset("pipeline/base/html/findings.js")] },
  );
}

// Those who decide have a form around the findings.
function writeCard(visit: Visit, rows: Markup, bulk: Markup | undefined, newestAt: string): Markup {
  if (bulk === undefined)
    return html`<div class="card mt12">
      <div class="foot first"><span class="sp"></span>${order}</div>
      ${rows}
    </div>`;
  return html`<form class="card mt12" method="post" action="${buildPageUrl(visit, {})}" data-queue>
    ${visit.site.forms.write("/findings")}
    <input type="hidden" name="seen" value="${newestAt}" />
    ${bulk} ${rows}
  </form>`;
}
