import { html, type Markup } from "../../base/html/markup.ts";
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
  const compared = placed.find(({ comparison }) => comparison !== undefined);
  if (compared?.comparison === undefined) return null;
  const { asked } = compared.block;
  const href = asked && findListedReport(asked, context);
  return html`${compared.comparison.text}${isQuiet ? "; nothing above usual, no finding" : null}${
    href === undefined ? null : html` · <a href="${href}">report</a>`
  }`;
}
