import type { OtherMember, StrongGrant } from "../../../answers/investigate/person-rights.ts";
import type { Holder } from "../../../answers/investigate/thing.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { formatIso } from "../../../base/time/text.ts";
import { newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";
import { cellOf, flagOf, textOf, timeOf } from "../columns.ts";
import { writeFoot } from "./cards.ts";
import { describeWay } from "./rights-now.ts";

/** The strongest rights that a person gave; null without any. */
export function writeGrantsCard(visit: Visit, grants: readonly StrongGrant[]): Markup | null {
  if (grants.length === 0) return null;
  const { display, range } = visit;
  return writeTable({
    label: "Strongest rights given",
    title: "Strongest rights given",
    note: "manage, administrator, and all to the own account",
    display,
    leads: (column, cell, row) =>
      column.name === "event_time"
        ? `/events/${String(row[5])}`
        : newLeads({ since: range.since, until: range.until })(column, cell, row),
    isMarked: (row) => row[4] === true,
    columns: [
      timeOf("event_time", "Time"),
      textOf("right", "Right"),
      textOf("object", "On", { isMinor: true }),
      textOf("affected", "To"),
    ],
    rows: grants.map(({ timeMs, operation, object, receiver, isOwn, eventKey }) => [
      cellOf(timeMs),
      operation.replaceAll("_", " "),
      object ?? (operation === "manage" ? "every database" : "account"),
      receiver,
      isOwn,
      eventKey,
    ]),
  });
}

/** Writes the other members of the policies that gave a person full access; null without any. */
export function writeMembersCard(visit: Visit, members: readonly OtherMember[]): Markup | null {
  if (members.length === 0) return null;
  const policies = new Set(members.map(({ policy }) => policy));
  const { display, range } = visit;
  return writeTable({
    label: "Other members of the same policies",
    title:
      policies.size === 1
        ? `Other members of ${[...policies][0]!}`
        : "Other members of the same policies",
    note: "full access in this range",
    display,
    leads: newLeads({ since: range.since, until: range.until }),
    columns: [
      textOf("holder", "Person", { isFlexible: true }),
      ...(policies.size === 1 ? [] : [textOf("policy", "Policy")]),
      timeOf("since", "Since", {
        isMinor: true,
        write: (cell) =>
          cell === null
            ? html`<span class="muted">before the log</span>`
            : formatTime(String(cell), display),
      }),
      timeOf("until", "Until", {
        write: (cell) =>
          cell === null
            ? html`<span class="muted">still</span>`
            : formatTime(String(cell), display),
      }),
      textOf("granted_by", "Added by", { isMinor: true }),
    ],
    rows: members.map(({ person, policy, sinceMs, untilMs, grantedBy }) => [
      person,
      ...(policies.size === 1 ? [] : [policy]),
      cellOf(sinceMs),
      cellOf(untilMs),
      grantedBy,
    ]),
  });
}

export function writeHoldersCard(visit: Visit, holders: readonly Holder[], onMs: number): Markup {
  const { display, range } = visit;
  const total = holders[0]?.holders ?? 0;
  return writeTable({
    label: "Rights to it",
    title: "Rights to it",
    actions: html`<a class="small" href="/access">Access</a>`,
    note: html`as of ${formatTime(formatIso(onMs), display)}`,
    display,
    leads: newLeads({ since: range.since, until: range.until }),
    // Administrators reach everything: those through a policy or a share are what to look at.
    isMarked: (row) => row[6] === true && row[3] !== describeWay({ way: "flag", policy: null }),
    columns: [
      textOf("holder", "Person"),
      textOf("operation", "Right"),
      textOf("object", "On"),
      textOf("how", "How"),
      timeOf("held_since", "Since"),
      textOf("granted_by", "Given by", { isMinor: true }),
      flagOf("is_full", "Full control"),
    ],
    rows: holders.map(
      ({ person, operation, object, way, policy, sinceMs, grantedBy, isFull, resourceKind }) => [
        person,
        operation.replaceAll("_", " "),
        object ?? (isFull ? "every database" : resourceKind),
        describeWay({ way, policy }),
        cellOf(sinceMs),
        grantedBy,
        isFull,
      ],
    ),
    ...writeFoot(visit, "holders", holders.length, total),
  });
}
