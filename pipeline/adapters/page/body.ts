import { AuditlakeError, exitCode, messageOf } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import type { Engine } from "../../answers/report/engine.ts";
import type { Report } from "../../answers/report/find.ts";
import { describeRange, type Given, givenParams, questionOf } from "../../answers/report/params.ts";
import { describeAnswer } from "../../answers/report/part-days.ts";
import { answerOf } from "../../answers/report/render/html.ts";
import { type Part, parts } from "./parts.ts";

/** What the reports of a page are asked with. */
export type PageQuestion = {
  readonly engine: Engine;
  readonly reports: readonly Report[];
  readonly nowMs: number;
  /** Beginnings of the whole range and of what is new, as texts that parameters take. */
  readonly since: Readonly<Record<Part["range"], string>>;
  readonly signal: AbortSignal;
  /** Called with each report that could not be answered. */
  readonly failed: (name: string, message: string) => void;
};

const rowsOfPart = 200;

/** The parts of the page, each with the answers to its reports. */
export async function bodyOf(question: PageQuestion): Promise<Markup[]> {
  const sections: Markup[] = [];
  for (const part of parts) sections.push(await sectionOf(part, question));
  return sections;
}

/** Links to the parts. */
export function contentsOf(): Markup {
  const links = [{ id: "health", title: "Health" }, ...parts];
  return html`<nav aria-label="Parts of this page">
    <ul>
      ${links.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

async function sectionOf(part: Part, question: PageQuestion): Promise<Markup> {
  const answers: Markup[] = [];
  for (const name of part.reports) {
    const report = question.reports.find((each) => each.name === name);
    if (report !== undefined) answers.push(await answered(report, part, question));
  }
  return html`<section aria-labelledby="${part.id}">
    <h2 id="${part.id}">${part.title}</h2>
    <p class="quiet">${part.about}</p>
    ${answers}
  </section>`;
}

/** What a report is given, where it is one of a range. */
export function rangeFor(report: Report, since: string): Given {
  const isRanged = report.params.some(({ name }) => name === "since");
  return givenParams(isRanged ? { since } : {}, []);
}

// One report that fails leaves the others alone.
async function answered(report: Report, part: Part, question: PageQuestion): Promise<Markup> {
  const { engine, nowMs, since, signal, failed } = question;
  const given = rangeFor(report, since[part.range]);
  const head = html`<h3>${report.title}</h3>`;
  try {
    const asked = questionOf(report, given, nowMs);
    const rows = await engine.rows(report, asked, signal);
    const about = describeAnswer(report, asked.values, nowMs, engine.reach());
    const answer = await answerOf(rows, about, rowsOfPart);
    return html`${head}
      <p class="quiet">${describeRange(asked.values)}</p>
      ${answer}
      <p class="quiet">auditlake report run ${report.name}</p>`;
  } catch (error) {
    if (signal.aborted || !(error instanceof AuditlakeError)) throw error;
    if (error.exitCode === exitCode.interrupted) throw error;
    failed(report.name, messageOf(error));
    return html`${head}
      <p class="bad">This could not be answered: ${messageOf(error)}</p>`;
  }
}
