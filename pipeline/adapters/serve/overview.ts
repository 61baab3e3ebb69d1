import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { html, type Markup, getMarkupText } from "../../base/html/markup.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import type { Report } from "../../base/report/find.ts";
import { readGivenParams, buildQuestion } from "../../base/report/params.ts";
import { describeAnswer } from "../../answers/report/reach.ts";
import { renderAnswer } from "../../answers/report/render/html.ts";
import { runStatement } from "../../base/sql/select.ts";
import { type FindingLine, readOpenFindings } from "../../answers/findings/ask.ts";
import { writeFirstSection } from "../../answers/findings/markup.ts";
import { ask, writeReach } from "./ask.ts";
import { writeProblem, writePageAround } from "./layout.ts";
import { newLeads } from "./leads.ts";
import { parseRange } from "./search.ts";
import type { Site } from "./site.ts";

const shown = ["denials_by_day", "denials_by_actor", "activity_by_day"];
const since = "7d";
const rowsOfPart = 20;
const noSignal = new AbortController().signal;

/** Writes the events of the last days and the health of the pipeline, each as soon as it is known. */
export async function* writeOverview(site: Site, gone: AbortSignal): AsyncGenerator<string> {
  site.asked.add("overview", `since=${since}`);
  const reports = site.found().reports.filter(({ name }) => shown.includes(name));
  const [first, ...others] = shown.flatMap((name) => reports.filter((each) => each.name === name));
  const findings = await writeFindings(site, gone);
  const begin = first && (await writePart(site, first, gone));
  const range = parseRange({ since, until: "now" }, site.world.now());
  const reach = await writeReach(site, range, gone);
  const [before, after] = writePageAround("Overview", html`${findings} ${reach} ${begin}`);
  yield before;
  for (const report of others) yield await tryPiece(() => writePart(site, report, gone));
  // Other people may wait for the same answer, so it is not stopped when the first of them leaves.
  yield await tryPiece(() => ask(site, noSignal, (connection) => site.health(connection)));
  yield after;
}

async function writeFindings(site: Site, gone: AbortSignal): Promise<Markup> {
  const { source } = site.settings.flags;
  const open = await ask(site, gone, (connection, signal) =>
    readOpenFindings(connection, undefined, source, { nowMs: site.world.now(), signal }),
  );
  const lead = ({ id }: FindingLine): Markup => html`<a href="/findings/${id}">Show</a>`;
  return writeFirstSection(open, lead, html`<a href="/findings">all open findings</a>`);
}

// A part that fails shows its error; the other parts and the rest of the page still come.
async function tryPiece(piece: () => Promise<Markup>): Promise<string> {
  try {
    return getMarkupText(await piece());
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    return getMarkupText(writeProblem(getMessage(error)));
  }
}

async function writePart(site: Site, report: Report, gone: AbortSignal): Promise<Markup> {
  const { name, title } = report;
  const question = buildQuestion(report, readGivenParams({ since }, []), site.world.now());
  const about = describeAnswer(report, question.values, undefined, site.world.now());
  const answer = await ask(site, gone, async (connection, signal) => {
    const rows = await runStatement(connection, bindQuestion(question), signal);
    return renderAnswer(rows, about, rowsOfPart, newLeads({ since }));
  });
  return html`<h2><a href="/reports/${name}?since=${since}">${title}</a></h2>
    ${answer}`;
}
