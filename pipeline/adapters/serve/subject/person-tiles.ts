import { type AddressUse, type Slot, sumSlots } from "../../../answers/investigate/activity.ts";
import type { Risk } from "../../../answers/investigate/people.ts";
import type { GivenRights, StrongGrant } from "../../../answers/investigate/person-rights.ts";
import type { SubjectFinding } from "../../../answers/investigate/subject-findings.ts";
import type { Usual } from "../../../answers/investigate/usual.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import { countText, formatBytes, formatCount } from "../../../base/terminal/amounts.ts";
import { writeTile } from "./cards.ts";
import { buildEventsUrl, type SubjectVisit } from "./visit.ts";

/** A person's activity in a range, and usual values of others. */
export type Activity = {
  readonly slots: readonly Slot[];
  readonly addresses: readonly AddressUse[];
  readonly findings: readonly SubjectFinding[];
  readonly given: readonly GivenRights[];
  readonly grants: readonly StrongGrant[];
  readonly usual: Usual;
  readonly risk: Risk | undefined;
};

export function listTiles({ range }: SubjectVisit, label: string, activity: Activity): Markup[] {
  const { slots, usual, addresses, findings, risk, given, grants } = activity;
  const link = (more: Readonly<Record<string, string>> = {}): string =>
    buildEventsUrl({ person: label, ...more }, range);
  const events = sumSlots(slots, (slot) => slot.events);
  const failed = sumSlots(slots, (slot) =>
    slot.denialKind === "failed_sign_in" ? slot.events : 0,
  );
  const bytes = sumSlots(slots, (slot) => slot.bytes ?? 0);
  const [size = "", unit = ""] = formatBytes(bytes).split(" ");
  const granted = given.reduce(
    (total, each) => total + (each.change === "granted" ? each.changes : 0),
    0,
  );
  const [worst] = findings;
  return [
    writeTile(
      "Risk",
      html`${risk?.risk ?? 0} <small>of 100</small>`,
      risk?.reasons ?? "no open finding",
      {
        isHigh: (risk?.risk ?? 0) >= 40,
      },
    ),
    writeTile(
      "Open findings",
      countText(findings.length),
      worst === undefined ? "none" : html`${writeSeverity(worst.severity)} ${worst.id.slice(0, 6)}`,
      worst === undefined ? {} : { href: `/findings/${worst.id}` },
    ),
    writeTile(
      "Events",
      countText(events),
      `median of people ${countText(usual.medianEvents ?? 0)}`,
      { href: link() },
    ),
    failed > 0
      ? writeTile("Failed sign-ins", countText(failed), compareFailed(failed, usual), {
          href: link({ kind: "failed_sign_in" }),
          isHigh: failed >= 10 && failed > (usual.mostFailedSignIns ?? 0),
        })
      : writeTile(
          "Addresses",
          countText(addresses.length),
          `median of people ${countText(usual.medianAddresses ?? 0)}`,
        ),
    writeTile(
      "Downloaded",
      html`${size} <small>${unit}</small>`,
      `everyone else: ${formatBytes(usual.allBytes ?? 0)}`,
      {
        href: link({ event: "job_result_download" }),
        isHigh: bytes > (usual.mostBytes ?? 0) && bytes > 0,
      },
    ),
    writeTile("Rights granted", countText(granted), describeGrants(granted, grants)),
  ];
}

function compareFailed(failed: number, { mostFailedSignIns, medianFailedSignIns }: Usual): string {
  if (failed > (mostFailedSignIns ?? 0)) return "most of all people";
  return `median of people ${countText(medianFailedSignIns ?? 0)}`;
}

function describeGrants(granted: number, grants: readonly StrongGrant[]): string {
  if (granted === 0) return "none";
  const own = grants.filter(({ isOwn }) => isOwn).length;
  if (own > 0) return `${formatCount(own, "right")} to the own account`;
  const [first] = grants;
  return first === undefined
    ? "no full control"
    : `full control given ${formatCount(grants.length, "time")}`;
}
