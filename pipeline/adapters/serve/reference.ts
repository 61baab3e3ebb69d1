import type { Catalog, Entry } from "../../../schemas/catalog.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { htmlTable } from "../../base/html/document.ts";
import type { Row } from "../../base/rows/row.ts";
import { leadsWithin } from "./leads.ts";
import { sitePage } from "./layout.ts";

const names = ["event_name", "variant", "denial kind", "operations", "other names"];
const columns = names.map((name) => ({ name, type: "VARCHAR", kind: "text" as const }));

/** The events of the reference by area, each with the calls that cause it. */
export function referencePage({ entries }: Catalog): string {
  const areas = [...Map.groupBy(entries, ({ area }) => area)];
  return sitePage("Reference", html`${areas.map(([area, own]) => areaMarkup(area, own))}`);
}

function areaMarkup(area: string, entries: readonly Entry[]): Markup {
  const rows = entries.map((e): Row => [
    e.event,
    e.variant,
    e.denialKind,
    e.operations.map((o) => `${o.verb} ${o.path}`).join("\n"),
    e.aliases.map((alias) => alias.name).join(", "),
  ]);
  return html`<h2>${area}</h2>
    ${htmlTable(columns, rows, `Events of ${area}`, leadsWithin({ since: "30d" }))}`;
}
