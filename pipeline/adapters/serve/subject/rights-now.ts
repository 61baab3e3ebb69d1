import type { EndedRight, HeldRight } from "../../../answers/investigate/person-rights.ts";
import { formatTime, writePerson } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso } from "../../../base/time/text.ts";
import { buildSubjectUrl, newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";
import { cellOf, textOf, timeOf } from "../columns.ts";

const full = new Set(["manage", "administrator", "account_owner"]);
const shownGroups = 12;

/** A right by a way: what it opens, how and since when. */
type RightRow = {
  readonly right: string;
  readonly on: string;
  readonly how: string;
  readonly sinceMs: number | null;
  readonly by: string | null;
  readonly isFull: boolean;
};

// One row for each right and way: databases by name, other things counted.
function groupRights(held: readonly HeldRight[]): RightRow[] {
  const groups = Map.groupBy(held, ({ way, operation, policy, reach }) =>
    JSON.stringify([way, operation, policy, reach === "every database"]),
  );
  return [...groups.values()].map((own) => {
    const [first] = own as [HeldRight];
    const givers = new Set(own.flatMap(({ grantedBy }) => grantedBy ?? []));
    const since = own.flatMap(({ sinceMs }) => sinceMs ?? []);
    return {
      right:
        first.way === "member"
          ? `${first.policy ?? first.names ?? "unknown"} · member`
          : nameRight(first),
      on: describeObjects(own),
      how: describeWay(first),
      sinceMs: since.length === 0 ? null : Math.max(...since),
      by: givers.size === 1 ? [...givers][0]! : null,
      isFull: full.has(first.operation) && first.reach === "every database",
    };
  });
}

function nameRight({ way, operation }: HeldRight): string {
  const name = operation.replaceAll("_", " ");
  return way === "flag" ? name.slice(0, 1).toUpperCase() + name.slice(1) : name;
}

// Databases by name; of other things only how many kinds.
function describeObjects(held: readonly HeldRight[]): string {
  const [first] = held as [HeldRight];
  if (first.reach === "every database") return "every database";
  if (first.way === "member") return first.resourceKind === "Roles" ? "role" : "policy";
  const databases = held.find(({ resourceKind }) => resourceKind === "Databases");
  const kinds = held
    .filter((each) => each !== databases)
    .map(({ resourceKind }) => resourceKind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase());
  const others =
    kinds.length > 3
      ? `${kinds.slice(0, 2).join(", ")} and ${countText(kinds.length - 2)} more kinds`
      : kinds.join(", ");
  return [databases === undefined ? "" : describeDatabases(databases), others]
    .filter((text) => text !== "")
    .join("; ");
}

function describeDatabases({ names, objects }: HeldRight): string {
  if (names === null) return "databases";
  return objects > 3 ? `${names} and ${countText(objects - 3)} more` : names;
}

export function describeWay({ way, policy }: Pick<HeldRight, "way" | "policy">): string {
  if (way === "flag") return "flag on the account";
  if (way === "policy") return `through ${policy ?? "a policy"}`;
  if (way === "member") return "membership";
  return way === "share" ? "shared" : way;
}

export function writeRightsCard(
  visit: Visit,
  held: readonly HeldRight[],
  ended: readonly EndedRight[],
  { person, onMs }: { readonly person: string; readonly onMs: number },
): Markup {
  const rows = groupRights(held);
  const shown = rows.slice(0, shownGroups);
  const { display, range } = visit;
  const on = formatIso(onMs);
  const history = new URLSearchParams({ user: person }).toString();
  const table = writeTable({
    label: "Rights now",
    display,
    leads: newLeads({ since: range.since, until: range.until }),
    isMarked: (row) => row[5] === true,
    columns: [
      textOf("right", "Right", {
        write: (cell, row) =>
          row[5] === true ? html`<b>${String(cell)}</b>` : html`${String(cell)}`,
      }),
      textOf("on", "On", { isFlexible: true, write: (cell) => html`${String(cell)}` }),
      textOf("how", "How", { isMinor: true, write: (cell) => html`${String(cell)}` }),
      timeOf("held_since", "Since", {
        isMinor: true,
        write: (cell) =>
          cell === null
            ? html`<span class="muted">before the log</span>`
            : formatTime(String(cell), display),
      }),
      textOf("granted_by", "Given by", { isMinor: true }),
    ],
    rows: shown.map(({ right, on: object, how, sinceMs, by, isFull }) => [
      right,
      object,
      how,
      cellOf(sinceMs),
      by,
      isFull,
    ]),
    foot: html`<span
        >${rows.length > shown.length ? `Showing ${shown.length} of ${rows.length} · CSV has all` : formatCount(rows.length, "group")}</span
      ><span class="sp"></span><a href="/reports/user_permissions/rows.csv?${history}">CSV</a>
      <a href="/reports/user_permissions?${history}">All rights</a>`,
  });
  return html`<div class="card">
    <div class="hd">
      <h2>Rights now</h2>
      <span class="muted">as of ${formatTime(on, display)}</span>
    </div>
    <div class="bd small">${writeEnded(visit, ended)}</div>
    ${rows.length === 0 ? html`<p class="bd"><b>No rights</b> at this moment.</p>` : table}
  </div>`;
}

// The strongest in a sentence.
function writeEnded({ display }: Visit, ended: readonly EndedRight[]): Markup | null {
  const [first] = ended;
  if (first === undefined) return null;
  const on =
    first.reach === "every database"
      ? " on every database"
      : first.object === null
        ? ""
        : ` on ${first.object}`;
  const by =
    first.endedBy === null
      ? null
      : html`, by a change of
        ${writePerson(first.endedBy, { href: buildSubjectUrl("user", first.endedBy), domain: display.domain })}`;
  const others =
    ended.length > 1
      ? ` ${formatCount(ended.length - 1, "other right")} ended in the last 30 days.`
      : "";
  return html`<p>
    <b>${first.operation.replaceAll("_", " ")}</b>${on} ended on
    ${formatTime(new Date(first.endedMs).toISOString(), display)}${by}.${others}
  </p>`;
}
