import { html, type Markup } from "../../base/html/markup.ts";
import type { PageContext } from "./context.ts";
import type { OpenFinding } from "./open-findings.ts";

/** The chart beside the first finding: what it measured, day by day, for all people. */
export async function drawHeroChart(_finding: OpenFinding, _context: PageContext): Promise<Markup> {
  return await Promise.resolve(html`<div></div>`);
}
