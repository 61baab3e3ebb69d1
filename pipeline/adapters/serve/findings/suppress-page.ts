import { type Finding, findFinding } from "../../../answers/findings/find.ts";
import { readWouldHide } from "../../../answers/findings/page-facts.ts";
import { UsageError } from "../../../base/errors.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePlainTable } from "../../../base/html/table.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { toTimestamp } from "../../../base/time/text.ts";
import { checkConditions, checkReason, parseSuppressionEnd } from "../../../core/decide/checks.ts";
import { ask } from "../ask.ts";
import { writePage } from "../frame.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { requireResponder } from "../visitor.ts";
import { decide, type Form } from "./decide.ts";
import type { Filled } from "./forms.ts";
import type { FormNote } from "./list-page.ts";
import { shownDigits, writeHeadline } from "./queue-row.ts";
import { listKeyValues, writeSuppressFields } from "./side-cards.ts";

const dayMs = 86_400_000;
const daysCounted = 30;
const mostListed = 20;

/** What a suppression would hide, with the form that makes it. Throws UsageError for an unknown id. */
export async function writeSuppressPage(
  visit: Visit,
  id: string,
  note?: FormNote,
): Promise<string> {
  requireResponder();
  visit.site.asked.add("finding", `${id} suppress`);
  const { params, site } = visit;
  const endMs = site.world.now();
  const { finding, chosen, hidden } = await ask(site, visit.gone, async (connection) => {
    const finding = await findFinding(connection, id);
    const columns = params.getAll("where");
    const chosen = chooseValues(finding, columns);
    const hidden = await readWouldHide(connection, finding.detection, Object.fromEntries(chosen), {
      startMs: endMs - daysCounted * dayMs,
      endMs,
    });
    return { finding, chosen, hidden };
  });
  const path = `/findings/${finding.findingId}/suppress`;
  const filled: Filled = note?.filled ?? {
    until: params.get("until") || "30d",
    reason: params.get("reason") ?? "",
  };
  return writePage(
    {
      visit: { ...visit, path },
      page: "findings",
      title: `Suppress “${finding.title}”`,
      crumbs: [
        ["Findings", "/findings"],
        [finding.findingId.slice(0, shownDigits), `/findings/${finding.findingId}`],
        ["Suppress", undefined],
      ],
      subtitle: describeConditions(chosen),
    },
    html`${note === undefined ? null : html`<p class="bad" role="alert">${note.problem}</p>`}
      <div class="card">
        <div class="bd">
          <form class="form" method="post" action="${path}">
            ${site.forms.write(path)} ${writeSuppressFields(finding, chosen, filled)}
            <button class="btn pri">Suppress</button>
            <button class="btn" formmethod="get" formaction="${path}" formnovalidate>
              Count again
            </button>
            <a class="btn" href="/findings/${finding.findingId}">Cancel</a>
          </form>
        </div>
      </div>
      ${writeHidden(hidden, visit)}`,
  );
}

// The values are those of the finding: an address cannot name others.
function chooseValues(finding: Finding, columns: readonly string[]): Map<string, string> {
  const pairs = listKeyValues(finding);
  const unknown = columns.find((column) => !pairs.some(([name]) => name === column));
  if (unknown !== undefined)
    throw new UsageError(`${JSON.stringify(unknown)} has no value in the key of this finding`);
  const chosen = pairs.filter(([column]) =>
    columns.length === 0 ? column !== "source" || pairs.length === 1 : columns.includes(column),
  );
  return new Map(chosen);
}

function describeConditions(chosen: ReadonlyMap<string, string>): string {
  const parts = [...chosen].map(([column, value]) => `${column.replaceAll("_", " ")} ${value}`);
  return `only for ${parts.join(", ")}`;
}

function writeHidden(
  hidden: Awaited<ReturnType<typeof readWouldHide>>,
  { display }: Visit,
): Markup {
  const rows = hidden.slice(0, mostListed).map(
    ({ findingId, severity, message, lastAt }) =>
      html`<tr>
        <td>${formatTime(lastAt, display)}</td>
        <td>${writeSeverity(severity)}</td>
        <td><a href="/findings/${findingId}">${writeHeadline(message, display)}</a></td>
      </tr>`,
  );
  const more = hidden.length - rows.length;
  return html`<div class="card mt16">
    <div class="hd">
      <h2>It would have hidden ${formatCount(hidden.length, "finding")} of the last 30 days</h2>
    </div>
    <div class="bd"></div>
    ${
      rows.length === 0
        ? null
        : writePlainTable("Findings that it would hide", ["Last hit", "Severity", "Finding"], rows)
    }
    ${more > 0 ? html`<div class="foot">and ${formatCount(more, "more finding")}</div>` : null}
  </div>`;
}

/** Makes the suppression of a form. Throws UsageError for a bad value, end or reason. */
export async function suppressByForm(site: Site, id: string, form: Form): Promise<void> {
  const untilMs = parseSuppressionEnd(form.get("until") ?? "", site.world.now());
  const reason = checkReason(form.get("reason") ?? "");
  site.asked.add("decision", `suppress ${id} ${form.all("where").join(" ")}`);
  await decide(site, async (connection) => {
    const finding = await findFinding(connection, id);
    const { detection } = finding;
    if (form.all("where").length === 0)
      throw new UsageError("choose at least one value that the suppression is only for");
    const pairs = [...chooseValues(finding, form.all("where"))];
    const conditions = checkConditions(
      detection,
      pairs.map(([column]) => column),
      pairs,
    );
    return [
      {
        decision: "suppress",
        detection,
        conditions,
        suppressed_until: toTimestamp(untilMs),
        reason,
      },
    ];
  });
}
