import type { Finding } from "../../../answers/findings/find.ts";
import type { readPageFacts, RelatedFinding } from "../../../answers/findings/page-facts.ts";
import { formatTime, writePerson } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { formatDay, formatIso, fromTimestamp } from "../../../base/time/text.ts";
import { buildSubjectUrl } from "../leads.ts";
import type { Visit } from "../visit.ts";
import { writeHeadline, writeShownState } from "./queue-row.ts";

/** Writes the next steps: the runbook of the detection, and pages with more. */
export function writeStepsCard(finding: Finding, { display }: Visit): Markup {
  const { runbook, next, subjectKind } = finding;
  const subject = writeHeadline(finding.subject, display);
  const url = getSubjectUrl(finding);
  const steps = [
    ...(runbook === null ? [] : [html`${runbook}`]),
    ...(url === undefined
      ? []
      : [html`<a href="${url}">Timeline of ${subject}</a> on the days of the finding`]),
    ...(subjectKind === "user"
      ? [
          html`<a
              href="/reports/user_permissions?${new URLSearchParams({ user: getPerson(finding) }).toString()}"
              >Rights of ${subject}</a
            >
            now`,
        ]
      : []),
    ...(next === null ? [] : [html`In a terminal: <code class="wrapped">${next}</code>`]),
  ];
  return html`<div class="card">
    <div class="hd"><h2>Next steps</h2></div>
    <div class="bd">
      <ol class="steps">
        ${steps.map((step) => html`<li><div>${step}</div></li>`)}
      </ol>
    </div>
  </div>`;
}

/** What else there is about the subject: risk, addresses of the evidence, other findings. */
export function writeRelatedCard(
  finding: Finding,
  facts: Awaited<ReturnType<typeof readPageFacts>>,
  visit: Visit,
): Markup | null {
  const { display } = visit;
  const url = getSubjectUrl(finding);
  const { risk, reasons, addresses, related } = facts;
  const rows = [
    ...(risk === null
      ? []
      : [
          html`<tr>
            <td>
              ${writePerson(finding.subject, { href: url, domain: display.domain })}
              <span class="small muted">person</span>
            </td>
            <td title="${reasons}">risk ${risk}</td>
          </tr>`,
        ]),
    ...addresses.map(
      ({ ipAddress, events, people }) =>
        html`<tr>
          <td>
            <a class="mono" href="${buildSubjectUrl("address", ipAddress, getFindingDays(finding))}"
              >${ipAddress}</a
            >
            <span class="small muted">address</span>
          </td>
          <td>
            ${formatCount(events, "event")},
            ${people === 1 ? "1 person" : `${countText(people)} people`} in 30 days
          </td>
        </tr>`,
    ),
    ...related.map((each) => writeRelatedFinding(each, visit)),
  ];
  if (rows.length === 0) return null;
  return html`<div class="card">
    <div class="hd"><h2>Related</h2></div>
    <div class="bd"></div>
    <div class="tw" role="region" aria-label="Related" tabindex="0">
      <table class="wraps">
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </div>`;
}

function writeRelatedFinding(
  { findingId, severity, message, state, lastAt }: RelatedFinding,
  { display }: Visit,
): Markup {
  return html`<tr>
    <td class="wrap">
      ${writeSeverity(severity)}
      <a href="/findings/${findingId}">${writeHeadline(message, display)}</a>
    </td>
    <td>${formatTime(lastAt, display)}<br />${writeShownState(state)}</td>
  </tr>`;
}

const dayMs = 86_400_000;

export function getFindingDays({ firstAt, lastAt }: Finding): {
  readonly since: string;
  readonly until: string;
} {
  return {
    since: formatDay(fromTimestamp(firstAt)),
    until: formatDay(fromTimestamp(lastAt) + dayMs),
  };
}

/** The person of a finding as a search takes it: without an e-mail by id. */
export function getPerson({ subject }: Finding): string {
  return subject.replace(/^user (?=\d+$)/, "");
}

/** The page of the person or address that a finding is about; undefined for another subject. */
export function getSubjectUrl(finding: Finding): string | undefined {
  const { subjectKind: kind } = finding;
  if (kind !== "user" && kind !== "address") return undefined;
  return buildSubjectUrl(kind, getPerson(finding), getFindingDays(finding));
}

/** The events of the person or address of a finding from its first to its last; undefined for another subject. */
export function getEventsUrl(finding: Finding): string | undefined {
  const { subjectKind, firstAt, lastAt } = finding;
  if (subjectKind !== "user" && subjectKind !== "address") return undefined;
  const search = new URLSearchParams({
    ...getFindingDays(finding),
    [subjectKind === "user" ? "person" : "address"]: getPerson(finding),
    from: formatIso(fromTimestamp(firstAt)),
    to: formatIso(fromTimestamp(lastAt) + 1000),
  });
  return `/events?${search.toString()}`;
}
