import type { Finding } from "../../../answers/findings/find.ts";
import { readEvidence, readPageFacts } from "../../../answers/findings/page-facts.ts";
import type { ShownState } from "../../../answers/findings/queue.ts";
import { readFinding, type ShownFinding } from "../../../answers/findings/show.ts";
import { readRows } from "../../../answers/page-file/context.ts";
import { readUsualDays, type UsualDay } from "../../../answers/findings/usual-days.ts";
import { formatTime, formatTimeRange } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import type { RowList } from "../../../base/rows/row.ts";
import { formatDuration } from "../../../base/terminal/amounts.ts";
import { fromTimestamp } from "../../../base/time/text.ts";
import { ask } from "../ask.ts";
import { writePage } from "../frame.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import { writeEvidenceCard } from "./evidence-card.ts";
import { type Filled, writeButton, writeCloseFields, writeUndo } from "./forms.ts";
import { type Happened, readHappened, writeHappenedCard } from "./happened-card.ts";
import { noSignal, type OwnDecisions, readOwnDecisions } from "./own-decisions.ts";
import { shownDigits, writeHeadline, writeShownState } from "./queue-row.ts";
import { writeRelatedCard, writeStepsCard } from "./related-cards.ts";
import { writeReasonCard } from "./reason-card.ts";
import { writeNotesCard, writeSuppressCard } from "./side-cards.ts";
import type { FormNote } from "./list-page.ts";
import { writeUsualCard } from "./usual-card.ts";

const eventsAtFirst = 10;
const eventsOfPage = 200;

type Facts = {
  readonly shown: ShownFinding;
  readonly evidence: RowList;
  readonly facts: Awaited<ReturnType<typeof readPageFacts>>;
  readonly usual: readonly UsualDay[];
  readonly happened: Happened | undefined;
  readonly decided: OwnDecisions;
};

/**
 * Writes a finding: summary, reason, evidence, usual values, next steps and decisions. Throws UsageError for an unknown
 * id.
 */
export async function writeFindingPage(visit: Visit, id: string, note?: FormNote): Promise<string> {
  visit.site.asked.add("finding", id);
  const all = await readAll(visit, id);
  const { finding, measures } = all.shown;
  const headline = writeHeadline(finding.message, visit.display);
  const own = { ...visit, path: `/findings/${finding.findingId}` };
  return writePage(
    {
      visit: own,
      page: "findings",
      title: headline,
      crumbs: [
        ["Findings", "/findings"],
        [finding.findingId.slice(0, shownDigits), undefined],
      ],
      subtitle: writeSubtitle(finding, visit),
    },
    html`${note === undefined ? null : html`<p class="bad" role="alert">${note.problem}</p>`}
      ${writeUndo(
        own,
        all.decided.acknowledged.filter((each) => each === finding.findingId),
      )}
      ${writeStateCard(own, all, note?.filled ?? {})}
      <div class="grid g21 mt16">
        <div class="grid">
          ${writeHappenedCard(all.shown, all.happened, visit)}
          ${writeEvidenceCard(all.shown, all.evidence, own)}
          ${writeUsualCard(writeHeadline(finding.subject, visit.display), measures, all.usual)}
        </div>
        <div class="grid">
          ${writeReasonCard(visit.site, all.shown, all.facts.fired)}
          ${writeStepsCard(finding, visit)} ${writeRelatedCard(finding, all.facts, visit)}
          ${writeSuppressCard(own, finding)} ${writeNotesCard(own, all.shown, note?.filled ?? {})}
        </div>
      </div>`,
  );
}

async function readAll(visit: Visit, id: string): Promise<Facts> {
  const { site, showsAllRows } = visit;
  const most = showsAllRows ? eventsOfPage : eventsAtFirst;
  const shared = await site.share(`finding ${id} ${most} ${site.settings.flags.source ?? ""}`, () =>
    ask(site, noSignal, async (connection, signal) => {
      const shown = await readFinding(connection, id);
      const { findingId } = shown.finding;
      const evidence = await readEvidence(connection, findingId, most, signal);
      return {
        shown,
        evidence: { columns: evidence.columns, rows: (await readRows(evidence)).rows },
        facts: await readPageFacts(connection, findingId),
        usual: await readUsualDays(connection, shown.finding),
        happened: await readHappened(connection, shown),
      };
    }),
  );
  return { ...shared, decided: await readOwnDecisions(visit) };
}

function writeSubtitle(
  { severity, attack, title, firstAt, lastAt }: Finding,
  { display }: Visit,
): Markup {
  const techniques = attack.split(", ").filter((id) => id !== "");
  return html`<span class="row"
    >${writeSeverity(severity)}
    ${techniques.map((id) => html`<a class="tag" href="https://attack.mitre.org/techniques/${id.replace(".", "/")}/" rel="noreferrer">${id}</a> `)}
    <span>${title}</span>
    <span
      >${
        firstAt === lastAt
          ? formatTime(firstAt, { ...display, day: true, seconds: true })
          : formatTimeRange(firstAt, lastAt, { ...display, day: true })
      }
      ${display.zone}</span
    ></span
  >`;
}

const states = (finding: Finding): ShownState => {
  if (finding.state === "open") return finding.suppressedBy === null ? "new" : "suppressed";
  return finding.state as ShownState;
};

function writeStateCard(visit: Visit, { shown, decided }: Facts, filled: Filled): Markup {
  const { finding } = shown;
  const state = states(finding);
  const canDecide = getVisitor()?.isResponder === true && state !== "withdrawn";
  return html`<div class="card">
    <div class="foot first">
      <div class="row">${writeShownState(state)} <span>${describeState(shown, visit)}</span></div>
      <span class="sp"></span>
      ${
        canDecide
          ? html`<form class="row" method="post" action="${visit.path}">
              ${visit.site.forms.write(visit.path)}
              <input type="hidden" name="seen" value="${decided.newestAt}" />
              ${state === "new" || state === "suppressed" ? writeButton("acknowledge", "Acknowledge", true) : null}
              ${state === "acknowledged" || state === "closed" ? writeButton("reopen", "Reopen") : null}
              ${
                state === "closed"
                  ? null
                  : html`<details
                      class="custom"
                      ${filled["decision"] === "close" ? html` open` : null}
                    >
                      <summary class="btn">Close…</summary>
                      <div class="card form pop">${writeCloseFields(filled)}</div>
                    </details>`
              }
              <a class="btn" href="#suppress">Suppress…</a>
            </form>`
          : null
      }
    </div>
  </div>`;
}

const verbs: Readonly<Record<string, string>> = {
  acknowledge: "acknowledged",
  reopen: "reopened",
  close: "closed",
};

function describeState({ finding, decisions }: ShownFinding, { display, site }: Visit): Markup {
  if (finding.stateReason !== null) return html`${finding.stateReason}`;
  const last = decisions.findLast(({ decision }) => verbs[decision] !== undefined);
  const age = formatDuration(
    Math.max(0, (site.world.now() - fromTimestamp(finding.firstAt)) / 1000),
  );
  if (last === undefined) return html`Not acknowledged yet · open for ${age}`;
  const { decidedBy, decidedAt, decision, closedAs, reason } = last;
  return html`${verbs[decision]}${closedAs === null ? null : ` as ${closedAs}`} by ${decidedBy}
  ${formatTime(decidedAt, display)}${reason === null ? null : `: ${reason}`}`;
}
