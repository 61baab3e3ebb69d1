import { formatSpaced } from "../../base/time/text.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import type { FindingLine, OpenFindings } from "./ask.ts";

/** Id of the section of open findings, and its title. */
export const firstSection = { id: "findings", title: "Look at this first" } as const;

/** Writes the section of open findings, a sentence each. `lead` gives what follows a sentence, `more` what follows all. */
export function writeFirstSection(
  { first, total }: OpenFindings,
  lead: (finding: FindingLine) => Markup,
  more: Markup,
): Markup {
  const rest = total - first.length;
  const { id, title } = firstSection;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${
      total === 0
        ? html`<p>No open findings.</p>`
        : html`<ol>
            ${first.map((finding) => writeLine(finding, lead(finding)))}
          </ol>`
    }
    ${rest > 0 ? html`<p>${rest} more ${rest === 1 ? "finding" : "findings"}: ${more}</p>` : null}
  </section>`;
}

function writeLine(finding: FindingLine, lead: Markup): Markup {
  const { severity, message, subject } = finding;
  const about = message.includes(subject) ? "" : `${subject}, `;
  return html`<li>
    <strong class="${getSeverityClass(severity)}">${severity}</strong> ${message}
    (${about}${formatSpan(finding)}). ${lead}
  </li>`;
}

/** The class that colours a severity. */
export function getSeverityClass(severity: string): string {
  if (severity === "critical" || severity === "high") return "bad";
  return severity === "medium" ? "warn" : "quiet";
}

function formatSpan({ firstAt, lastAt }: FindingLine): string {
  const toMinute = (time: string): string => formatSpaced(time.slice(0, "2026-01-31T10:20".length));
  const [from, to] = [toMinute(firstAt), toMinute(lastAt)];
  return from === to ? from : `${from} to ${to}`;
}
