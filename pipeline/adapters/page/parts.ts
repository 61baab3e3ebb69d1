import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import type { Engine } from "../../answers/report/engine.ts";
import type { Report } from "../../base/report/find.ts";
import {
  describeRange,
  type GivenValues,
  readGivenParams,
  buildQuestion,
} from "../../base/report/params.ts";
import { describeAnswer } from "../../answers/report/reach.ts";
import { firstSection } from "../../answers/findings/markup.ts";
import { renderAnswer } from "../../answers/report/render/html.ts";

/** A part of the page: its heading, what it is about, and the reports that answer it, one after the other. */
export type Part = {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** From when on its reports ask: of the whole range, or since the last page. */
  readonly range: "whole" | "new";
  readonly reports: readonly string[];
};

/** The page from top to bottom, below the health of the pipeline. */
export const parts: readonly Part[] = [
  {
    id: "new",
    title: "New since the last page",
    about: "What had not been seen before, and what is rare enough to look at one by one.",
    range: "new",
    reports: [
      "new_denials",
      "failed_sign_ins_then_success",
      "full_access_granted",
      "administrator_changes",
      "self_grants",
      "first_database_use",
      "first_table_use",
      "destructive_statements",
    ],
  },
  {
    id: "denials",
    title: "Denials",
    about: "Who was refused what.",
    range: "whole",
    reports: ["denials_by_day", "denials_by_actor", "denials_by_operation"],
  },
  {
    id: "permissions",
    title: "Permission changes and drift",
    about: "Who gave rights and took them away, and where a policy is not what the log says.",
    range: "whole",
    reports: ["permission_changes_by_actor", "permission_changes_list", "permission_drift"],
  },
  {
    id: "queries",
    title: "Query activity and tables touched",
    about: "How much is asked, by whom, and of which databases and tables.",
    range: "whole",
    reports: [
      "activity_by_day",
      "queries_by_user",
      "queries_by_database",
      "tables_touched",
      "long_jobs",
    ],
  },
  {
    id: "access",
    title: "Access",
    about: "Users with full access, and unused rights.",
    range: "whole",
    reports: ["full_access_holders", "unused_grants"],
  },
  {
    id: "leaving",
    title: "Data leaving",
    about: "Results that were downloaded or sent elsewhere, and who read what is sensitive.",
    range: "whole",
    reports: [
      "result_downloads",
      "result_exports",
      "grant_then_download",
      "sensitive_column_reads",
    ],
  },
  {
    id: "people",
    title: "People",
    about: "Who works when, and which rights went to people who had been inactive.",
    range: "whole",
    reports: ["off_hours_activity", "dormant_user_grants"],
  },
  {
    id: "log",
    title: "The log itself",
    about:
      "How much came, of what far more or fewer than before, and what the reference does not know.",
    range: "whole",
    reports: ["events_by_day", "unusual_volumes", "unknown_events"],
  },
];

/** What the reports of a page are asked with. */
type PageQuestion = {
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
export async function writeBody(question: PageQuestion): Promise<Markup[]> {
  const sections: Markup[] = [];
  for (const part of parts) sections.push(await writeSection(part, question));
  return sections;
}

/** Links to the parts. */
export function writeContents(): Markup {
  const links = [firstSection, { id: "health", title: "Health" }, ...parts];
  return html`<nav aria-label="Parts of this page">
    <ul>
      ${links.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

async function writeSection(part: Part, question: PageQuestion): Promise<Markup> {
  const answers: Markup[] = [];
  for (const name of part.reports) {
    const report = question.reports.find((each) => each.name === name);
    if (report !== undefined) answers.push(await answerPart(report, part, question));
  }
  return html`<section aria-labelledby="${part.id}">
    <h2 id="${part.id}">${part.title}</h2>
    <p class="quiet">${part.about}</p>
    ${answers}
  </section>`;
}

/** What a report is given, where it is one of a range. */
export function chooseRange(report: Report, since: string): GivenValues {
  const isRanged = report.params.some(({ name }) => name === "since");
  return readGivenParams(isRanged ? { since } : {}, []);
}

// One report that fails leaves the others alone.
async function answerPart(report: Report, part: Part, question: PageQuestion): Promise<Markup> {
  const { engine, nowMs, since, signal, failed } = question;
  const given = chooseRange(report, since[part.range]);
  const head = html`<h3>${report.title}</h3>`;
  try {
    const asked = buildQuestion(report, given, nowMs);
    const rows = await engine.rows(report, asked, signal);
    const about = describeAnswer(report, asked.values, engine.reach(), nowMs);
    const answer = await renderAnswer(rows, about, rowsOfPart);
    return html`${head}
      <p class="quiet">${describeRange(asked.values)}</p>
      ${answer}
      <p class="quiet">auditlake report run ${report.name}</p>`;
  } catch (error) {
    if (signal.aborted || !(error instanceof AuditlakeError)) throw error;
    if (error.exitCode === exitCode.interrupted) throw error;
    failed(report.name, getMessage(error));
    return html`${head}
      <p class="bad">This could not be answered: ${getMessage(error)}</p>`;
  }
}
