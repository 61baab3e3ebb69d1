import { html, type Markup } from "../../base/html/markup.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { writeSwatch } from "../../base/html/signs.ts";
import { moveDay } from "./compare-days.ts";
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

/** Writes the note beside the title of a section: the last whole day, usual values, and links to the rows. */
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
  const { days, display } = context;
  const isWeek = compare === "weeks";
  const first = isWeek ? `${formatTimeText(moveDay(days.lastWhole, -6), display)} – ` : "";
  return html`range: lowest to highest of the ${isWeek ? "three weeks" : "four"} ·
    <span class="swl">${writeSwatch("c1")} ${first}${formatTimeText(days.lastWhole, display)}</span>
    · <span class="swl">${writeSwatch("crf")} open finding</span>`;
}
