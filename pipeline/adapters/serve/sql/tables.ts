import { contract } from "../../../../schemas/generated/contract.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { readSql } from "../../../base/sql/statements.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";

const firstTables = [
  "events",
  "denials",
  "permission_changes",
  "query_jobs",
  "users",
  "user_access",
  "findings",
  "risk_by_actor",
];
const [shownTables, moreTables] = [true, false].map((isFirst) =>
  contract.filter(({ name }) => firstTables.includes(name) === isFirst),
);

/** Statements to begin with; their titles are their names. */
export const examples = [
  "failed_sign_ins_by_day",
  "largest_downloads_by_person",
  "latest_events_of_a_person",
  "rights_granted_per_week",
  "jobs_longer_than_an_hour",
  "addresses_of_several_people",
  "most_read_tables",
  "denials_per_thousand_events",
  "first_event_of_each_address",
  "unknown_event_types",
] as const;

/** Reads an example without its end sign. */
export function readExample(name: (typeof examples)[number]): string {
  return readSql(`queries/pages/examples.sql#${name}`).trim().replace(/;$/, "");
}

/** Tables with their columns, examples, and where the statements of this browser are listed. */
export function writeTables(): Markup {
  return html`<aside class="card facets" aria-label="Tables and examples">
    <div class="hd"><h2>Tables</h2></div>
    <div class="tree">
      <input
        type="search"
        id="tables-filter"
        hidden
        aria-label="Filter tables and columns"
        placeholder="Filter"
      />
      ${shownTables!.map(writeTableOf)}
      <details class="more" id="more-tables">
        <summary>${formatCount(moreTables!.length, "more table")}</summary>
        ${moreTables!.map(writeTableOf)}
      </details>
    </div>
    <div class="hd"><h2>Examples</h2></div>
    <div class="tree">
      ${examples.map((name) => {
        const address = new URLSearchParams({ edit: "1", sql: readExample(name) }).toString();
        return html`<a class="line" href="/sql?${address}">${titleExample(name)}</a>`;
      })}
    </div>
    <div id="saved" hidden>
      <div class="hd"><h2>Saved in this browser</h2></div>
      <div class="tree"></div>
    </div>
  </aside>`;
}

function writeTableOf({ name, about, columns }: (typeof contract)[number]): Markup {
  return html`<details data-table="${name}">
    <summary title="${about}">
      <b>${name}</b> <span class="muted">${formatCount(columns.length, "column")}</span>
    </summary>
    <ul>
      ${columns.map(
        (column) =>
          html`<li title="${column.meaning}">
            <button type="button" class="line" data-inserts="${column.name}">${column.name}</button
            ><span>${column.type}</span>
          </li> `,
      )}
    </ul>
  </details>`;
}

function titleExample(name: string): string {
  const text = name.replaceAll("_", " ").replace("sign ins", "sign-ins");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
