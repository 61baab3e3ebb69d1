import { html, type Markup } from "../../base/html/markup.ts";
import { reachLines, reachOf } from "../../answers/report/freshness.ts";
import type { Question } from "../../base/sql/question.ts";
import { ask } from "./ask.ts";
import type { Site } from "./site.ts";

/**
 * How far the data goes, and what of a range nobody has read: there, too, nothing is found. Throws AuditlakeError where it
 * takes longer than a question may.
 */
export async function reachOfRange(
  site: Site,
  range: Question["values"],
  gone: AbortSignal,
): Promise<Markup[]> {
  const { source } = site.settings.flags;
  const reach = await ask(site, gone, (connection) => reachOf(connection, source));
  return quietLines(reachLines(reach, [range]));
}

/** What is told beside an answer, a line each. */
export function quietLines(lines: readonly string[]): Markup[] {
  return lines.map((line) => html`<p class="quiet">${line}</p>`);
}
