import type { Holder, ReachedDatabase } from "../../../answers/access/standing.ts";
import { type Display, formatTime, writePerson } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePlainTable } from "../../../base/html/table.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { buildSubjectUrl } from "../leads.ts";

const none = html`<span class="muted">—</span>`;
const mostDatabases = 20;

export function writeHolders(holders: readonly Holder[], display: Display): Markup {
  return html`<div class="card tab">
    <div class="hd">
      <h2>Full access now</h2>
      <span class="muted">every operation on every database</span><span class="sp"></span
      ><a class="small" href="/reports/full_access_holders">All ways</a>
    </div>
    <div class="bd"></div>
    ${
      holders.length === 0
        ? html`<div class="bd">
            <p>
              <b>No person has full access</b> according to the log, snapshots and the directory.
            </p>
          </div>`
        : writePlainTable(
            "People with full access",
            ["Person", "How", "Since", ["Granted by", "p3"], ["Last seen", "p3"]],
            holders.map((each) => writeHolder(each, display)),
            "sorted",
          )
    }
  </div>`;
}

function writeHolder(
  { holder, how, since, grantedBy, lastSeen }: Holder,
  display: Display,
): Markup {
  const href = buildSubjectUrl("user", holder, { since: "30d" });
  return html`<tr>
    <td>${writePerson(holder, { href, domain: display.domain })}</td>
    <td>${how}</td>
    <td data-v="${since ?? ""}">
      ${since === null ? html`<span class="muted">before the log</span>` : formatTime(since, display)}
    </td>
    <td class="p3">${grantedBy === null ? none : writeGranters(grantedBy, display)}</td>
    <td class="p3" data-v="${lastSeen ?? ""}">
      ${lastSeen === null ? none : formatTime(lastSeen, display)}
    </td>
  </tr>`;
}

function writeGranters(names: string, { domain }: Display): Markup {
  return html`${names.split(", ").map((name, i) => html`${i === 0 ? null : ", "}${writePerson(name, { domain })}`)}`;
}

/** Databases with how many people reach each by a permission that names it. */
export function writeDatabases(databases: readonly ReachedDatabase[], holders: number): Markup {
  const shown = databases.slice(0, mostDatabases);
  const rest = databases.length - shown.length;
  return html`<div class="card tab">
    <div class="hd">
      <h2>By database</h2>
      <span class="muted">beside the ${countText(holders)} with full access</span
      ><span class="sp"></span><a class="small" href="/reports/database_access">All permissions</a>
    </div>
    <div class="bd"></div>
    ${writePlainTable("Databases", ["Database", ["People", "n"], ["Manage", "n"], ["Query or download", "n"]], shown.map(writeDatabase), "sorted")}
    ${rest > 0 ? html`<div class="foot">${countText(shown.length)} of ${countText(databases.length)} databases</div>` : null}
  </div>`;
}

function writeDatabase({ databaseName, people, managers, readers }: ReachedDatabase): Markup {
  const query = new URLSearchParams({ database: databaseName }).toString();
  return html`<tr>
    <td><a href="/reports/database_access?${query}">${databaseName}</a></td>
    ${[people, managers, readers].map(
      (amount) =>
        html`<td class="n" data-v="${amount}">
          ${amount === 0 ? html`<span class="muted">0</span>` : countText(amount)}
        </td>`,
    )}
  </tr>`;
}
