import { html, type Markup } from "../../base/html/markup.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { writeSwatch } from "../../base/html/signs.ts";
import { moveDay } from "./compare-days.ts";
import { formatWeekdayName } from "./day-names.ts";
import type { Block } from "./page-file.ts";
import { findListedReport } from "./blocks/table.ts";
import type { PageContext } from "./context.ts";
import type { Placed } from "./shown.ts";

/** The families of the reports that a section shows. */
export function findSectionFamilies(
  placed: readonly Placed[],
  { reports }: PageContext,
): ReadonlySet<string> {
  const names = placed.flatMap(({ block: { asked, chart } }) => {
    const [, linked] = /^report:(.+)$/.exec(chart?.link ?? asked?.report.chart?.link ?? "") ?? [];
    return [asked?.report.name, linked].filter((name) => name !== undefined);
  });
  return new Set(names.flatMap((name) => reports.get(name)?.family ?? []));
}

/** What the heading of a section says beside its title: the last whole day, what is usual, and where the rows are. */
export function writeSectionNote(
  placed: readonly Placed[],
  isQuiet: boolean,
  context: PageContext,
): Markup | null {
  const tiles = placed.find(({ block }) => block.kind === "tiles");
  if (tiles !== undefined) return writeTilesNote(tiles.block.compare, context);
  const compared = placed.find(({ comparison }) => comparison !== undefined);
  if (compared?.comparison === undefined) return null;
  const href = findListedReport(compared.block, context);
  return html`${compared.comparison.text}${isQuiet ? "; nothing above usual, no finding" : null}${
    href === undefined ? null : html` · <a href="${href}">report</a>`
  }`;
}

// The compared days have the colour of their columns.
function writeTilesNote(compare: Block["compare"], context: PageContext): Markup {
  return html`${describeTiles(compare, context)} ·
    <span class="swl">${writeSwatch("c1")} compared</span> ·
    <span class="swl">${writeSwatch("crf")} open finding</span>`;
}

function describeTiles(compare: Block["compare"], { days, display }: PageContext): string {
  const last = formatTimeText(days.lastWhole, display);
  if (compare === "weeks")
    return `${formatTimeText(moveDay(days.lastWhole, -6), display)} – ${last}; range: lowest to highest of the three weeks`;
  return `${last} against the last four ${formatWeekdayName(days.lastWhole)}s; range: lowest to highest of the four`;
}
