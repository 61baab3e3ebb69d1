import type { Facet } from "../../../answers/events/counts.ts";
import { type FilterColumn, filterColumns, notRecorded } from "../../../answers/events/filters.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { denialKinds } from "../../../base/html/signs.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import {
  type Address,
  addValue,
  hasValue,
  isLinkable,
  removeValue,
  writeSearchUrl,
} from "./address.ts";

type FacetValue = Facet["values"][number];

/** The values of each column with their counts: a link includes one, or removes its filter, another one excludes it. */
export function writeFacets(
  address: Address,
  facets: ReadonlyMap<FilterColumn, Facet>,
  period: string,
  domain: string | undefined,
): Markup {
  return html`<aside class="card facets" id="filters" aria-label="Filters">
    <div class="bd">
      ${filterColumns.map((column) => writeFacet(address, column, facets.get(column), domain))}
      <p class="small muted">
        A value adds a filter; − or Alt-click excludes it. Counts: ${period}, with the filters of
        other columns.
      </p>
    </div>
  </aside>`;
}

// Few events have a denial kind or a database: those without are no answer there.
const sparse: readonly FilterColumn[] = ["kind", "database"];

function writeFacet(
  address: Address,
  column: FilterColumn,
  facet: Facet | undefined,
  domain: string | undefined,
): Markup | null {
  const isNamed = (value: string): boolean =>
    hasValue(address, column, value, false) || hasValue(address, column, value, true);
  const values = (facet?.values ?? []).filter(
    ({ value }) => value !== notRecorded || isNamed(value) || !sparse.includes(column),
  );
  if (values.length === 0) return null;
  const most = Math.max(...values.map(({ events }) => events));
  const lines = values.map((value) => writeValue(address, column, value, most, domain));
  const distinct = facet!.distinct > values.length ? countText(facet!.distinct) : "";
  return html`<div class="facet">
    <h3><span>${columnTitles[column]}</span><span>${distinct}</span></h3>
    ${lines}
  </div>`;
}

function writeValue(
  address: Address,
  column: FilterColumn,
  { value, events }: FacetValue,
  most: number,
  domain: string | undefined,
): Markup {
  const isIncluded = hasValue(address, column, value, false);
  const isExcluded = hasValue(address, column, value, true);
  const text = shortenMiddle(shortenPerson(describeValue(column, value), domain));
  const without = removeValue(address, column, value);
  const to = isIncluded || isExcluded ? without : addValue(address, column, value);
  const sign = isIncluded ? html`<span class="on" aria-hidden="true">✓</span>` : null;
  const label = isIncluded || isExcluded ? `Remove filter ${text}` : `Only ${text}`;
  const bar = html`<svg class="ch" aria-hidden="true">
    <rect class="fb" width="${((events / most) * 100).toFixed(1)}%" height="24" rx="3" />
  </svg>`;
  const count = html`<span class="n">${countText(events)}</span>`;
  if (!isLinkable(value))
    return html`<div class="fv"><span class="t">${text}</span>${count}${bar}</div>`;
  const excluded = writeSearchUrl(addValue(address, column, value, true));
  return html`<div class="fv${isExcluded ? " off" : ""}">
    <a
      class="t"
      href="${writeSearchUrl(to)}"
      title="${value}"
      aria-label="${label}, ${events} events"
      >${sign}${text}</a
    >${count}<a class="x" href="${excluded}" aria-label="Exclude ${text}" title="Exclude">−</a
    >${bar}
  </div>`;
}

// As in tables: most people have one domain.
function shortenPerson(text: string, domain: string | undefined): string {
  const suffix = `@${domain ?? ""}`;
  return domain !== undefined && text.endsWith(suffix) && text !== suffix
    ? text.slice(0, -suffix.length)
    : text;
}

export const columnTitles: Readonly<Record<FilterColumn, string>> = {
  outcome: "Outcome",
  kind: "Denial kind",
  event: "Event",
  person: "Person",
  address: "Address",
  area: "Area",
  database: "Database",
};

const areas: Readonly<Record<string, string>> = {
  "Permission denial records for column visibility": "Column visibility",
};

export function describeValue(column: FilterColumn, value: string): string {
  if (value === "none") return column === "kind" ? "No denial" : "not recorded";
  if (column === "kind") return denialKinds[value] ?? value;
  if (column === "area") return areas[value] ?? value;
  return value;
}
