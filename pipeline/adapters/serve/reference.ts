import type { Entry } from "../../../schemas/catalog.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { writeTable } from "../../base/html/table.ts";
import { type Row, textColumn } from "../../base/rows/row.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { writePage } from "./frame.ts";
import { newLeads } from "./leads.ts";
import type { Visit } from "./visit.ts";

const columns = ["event_name", "variant", "denial_kind", "operations", "other_names"].map(
  textColumn,
);

/** The events of the reference by area, each with the calls that cause it. */
export async function writeReferencePage(visit: Visit): Promise<string> {
  const { entries } = await visit.site.catalog();
  const areas = [...Map.groupBy(entries, ({ area }) => area)];
  return writePage(
    {
      visit,
      page: "reports",
      title: "Event reference",
      subtitle: `${formatCount(entries.length, "event type")} that the service documents`,
      crumbs: [["Reports", "/reports"]],
    },
    html`<div class="grid">${areas.map(([area, own]) => writeArea(visit, area, own))}</div>`,
  );
}

function writeArea({ display }: Visit, area: string, entries: readonly Entry[]): Markup {
  const rows = entries.map((entry): Row => [
    entry.event,
    entry.variant,
    entry.denialKind,
    entry.operations.map(({ verb, path }) => `${verb} ${path}`).join(", "),
    entry.aliases.map(({ name }) => name).join(", "),
  ]);
  const leads = newLeads({ since: "30d" });
  return writeTable({ columns, rows, label: `Events of ${area}`, title: area, leads, display });
}
