import { formatDay, fromTimestamp } from "../../base/time/text.ts";
import { severities } from "../../../schemas/detections.ts";
import { UsageError } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import type { Leads } from "../../base/html/cells.ts";
import { writeTable } from "../../base/html/table.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import { countText, formatCount } from "../../base/terminal/amounts.ts";
import { type Row, textColumn } from "../../base/rows/row.ts";
import { buildListQuestion, type FindingFilter, listedStates } from "../../answers/findings/ask.ts";
import { getSeverityClass } from "../../answers/findings/markup.ts";
import {
  formatDecision,
  listFindingFacts,
  measureText,
  readFinding,
  type ShownFinding,
} from "../../answers/findings/show.ts";
import { ask } from "./ask.ts";
import { writeChoice, writeField, writePage, writeProblem } from "./layout.ts";
import { buildTimelineUrl, newLeads } from "./leads.ts";
import { describeUnknownFields, type Query, runSearch } from "./search.ts";
import type { Site } from "./site.ts";

const rowsOfPage = 500;
const eventsOfPage = 200;
const known = ["state", "severity", "since", "subject", "detection"];
const shownColumns = "finding_id severity first_at message subject detection last_at hits state";

/** The findings that fit a filter, the most severe first. Throws UsageError for a bad state, severity or time. */
export async function writeFindingsPage(
  site: Site,
  query: Query,
  gone: AbortSignal,
): Promise<string> {
  const unknown = describeUnknownFields(query, known);
  const filter = readFilter(query);
  site.asked.add("findings", new URLSearchParams(query).toString());
  const { source } = site.settings.flags;
  const statement = bindQuestion(buildListQuestion(filter, source, site.world.now()));
  const { columns, rows } = await runSearch(site, statement, gone);
  const places = shownColumns
    .split(" ")
    .map((wanted) => columns.findIndex(({ name }) => name === wanted));
  const shown = rows.slice(0, rowsOfPage).map((row) => places.map((at) => row[at]!));
  const within = newLeads({ since: "30d" });
  const leads: Leads = (column, cell, row) =>
    column.name === "finding_id" || column.name === "message"
      ? `/findings/${String(row[0])}`
      : within(column, cell, row);
  const table = writeTable({
    columns: places.map((at) => columns[at]!),
    rows: shown,
    label: "Findings, the most severe first",
    leads,
    display: { zone: "UTC" },
  });
  const count = formatCount(rows.length, "finding");
  const shownText = rows.length > shown.length ? `${count}; the first ${shown.length}` : count;
  return writePage(
    "Findings",
    html`${unknown ? writeProblem(unknown) : null} ${writeFilter(filter)}
    ${
      shown.length === 0
        ? html`<p>No findings match.</p>`
        : html`<p class="quiet">${shownText}</p>
            ${table}`
    }`,
  );
}

function readFilter(query: Query): FindingFilter {
  const given = known.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  const filter = Object.fromEntries(given);
  const { state, severity } = filter;
  requireChoice("state", state, listedStates);
  requireChoice("severity", severity, severities);
  return filter as FindingFilter;
}

function requireChoice(name: string, given: string | undefined, choices: readonly string[]): void {
  if (given !== undefined && !choices.includes(given))
    throw new UsageError(`${name} ${JSON.stringify(given)}: expected one of ${choices.join(", ")}`);
}

function writeFilter(filter: FindingFilter): Markup {
  const { state = "open", severity = "info", since = "", subject = "", detection = "" } = filter;
  return html`<form action="/findings" class="fields">
    ${writeChoice("state", "State", state, listedStates)}
    ${writeChoice("severity", "Severity, at least", severity, severities)}
    ${writeField("since", "Since", since, "7d")} ${writeField("subject", "Subject", subject)}
    ${writeField("detection", "Detection", detection)}
    <button>Filter</button>
  </form>`;
}

/** A finding with what was measured, its evidence and its history. Throws UsageError for an id that no finding has. */
export async function writeFindingPage(site: Site, id: string, gone: AbortSignal): Promise<string> {
  site.asked.add("finding", id);
  const shown = await ask(site, gone, (connection) => readFinding(connection, id));
  const { finding, measures, decisions } = shown;
  const { title, severity, message, runbook, next, raisedAt } = finding;
  return writePage(
    title,
    html`<p><strong class="${getSeverityClass(severity)}">${severity}</strong> ${message}</p>
      <dl class="facts">
        ${listFindingFacts(finding).map((fact) => writeFact(fact, shown))}
        ${measures.map(
          (measure) =>
            html`<dt>measured</dt>
              <dd>${measureText(measure)}</dd>`,
        )}
      </dl>
      ${
        runbook === null
          ? null
          : html`<h2>What to check</h2>
              <p>${runbook}</p>`
      }
      ${
        next === null
          ? null
          : html`<h2>Next command</h2>
              <pre>${next}</pre>`
      }
      ${writeEvidence(shown)}
      <h2>History</h2>
      <ul>
        <li>${raisedAt} raised</li>
        ${decisions.map((decision) => html`<li>${decision.decidedAt} ${formatDecision(decision)}</li>`)}
      </ul>
      <p><a href="/findings">All open findings</a></p>`,
  );
}

function writeFact([label, text]: readonly [string, string], { finding }: ShownFinding): Markup {
  const { subjectKind, firstAt } = finding;
  const range = { since: formatDay(fromTimestamp(firstAt)) };
  const isTimeline = label === subjectKind && (subjectKind === "user" || subjectKind === "address");
  const subject = text.replace(/^user (?=\d+$)/, "");
  const content = isTimeline
    ? html`<a href="${buildTimelineUrl(subjectKind, subject, range)}">${text}</a>`
    : text;
  return html`<dt>${label}</dt>
    <dd class="kept">${content}</dd>`;
}

const evidenceColumns = ["event_time", "event_name", "actor", "outcome", "resource", "ip_address"];

function writeEvidence({ finding, events }: ShownFinding): Markup {
  const shown = events.slice(0, eventsOfPage);
  const keys = new Map<Row, string>();
  const rows = shown.map((event): Row => {
    const { eventTime, eventName, actor, outcome, resource, ipAddress, eventKey } = event;
    const row = [eventTime, eventName, actor, outcome, resource, ipAddress];
    keys.set(row, eventKey);
    return row;
  });
  const within = newLeads({ since: formatDay(fromTimestamp(finding.firstAt)) });
  const leads: Leads = (column, cell, row) =>
    column.name === "event_time" ? `/events/${keys.get(row)!}` : within(column, cell, row);
  const left = events.length - shown.length;
  return html`<h2>Evidence: ${formatCount(events.length, "event")}</h2>
    ${rows.length === 0 ? null : writeTable({ columns: evidenceColumns.map(textColumn), rows, label: "Evidence, the newest first", leads, display: { zone: "UTC" } })}
    ${left > 0 ? html`<p class="quiet">${countText(left)} earlier events are not shown.</p>` : null}`;
}
