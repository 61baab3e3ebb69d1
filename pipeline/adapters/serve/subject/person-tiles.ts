import { formatShortDay } from "../../../answers/chart/ticks.ts";
import { type AddressUse, type Slot, sumSlots } from "../../../answers/investigate/activity.ts";
import type { Risk } from "../../../answers/investigate/people.ts";
import type { GivenRights, StrongGrant } from "../../../answers/investigate/person-rights.ts";
import type { PersonKey, Profile } from "../../../answers/investigate/person.ts";
import type { SubjectFinding } from "../../../answers/investigate/subject.ts";
import type { Usual } from "../../../answers/investigate/usual.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import { countText, formatBytes, formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso } from "../../../base/time/text.ts";
import type { Frame } from "../frame.ts";
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

export type Person = {
  /** Key of the person's timeline: an id or an e-mail. */
  readonly subject: string;
  readonly keys: readonly PersonKey[];
  readonly profiles: readonly Profile[];
  /** The e-mail that was known last, else `user 17`. */
  readonly label: string;
};

/** The head of a page of a person: name, accounts, range and links. */
export function buildPersonFrame(
  { visit, range }: SubjectVisit,
  { label, profiles }: Person,
): Frame {
  const name = profiles.find((profile) => profile.name !== null)?.name ?? label;
  const person = { person: label };
  const since = formatIso(range.sinceMs);
  const timeline = new URLSearchParams({
    user: label.replace(/^user (?=\d+$)/, ""),
    since,
    until: formatIso(range.untilMs),
  });
  return {
    visit,
    page: "people",
    title: name,
    subtitle: writeSubtitle(label, profiles),
    crumbs: [
      ["People", "/people"],
      [label, undefined],
    ],
    range: true,
    actions: html`<a class="btn" href="${buildEventsUrl(person, range)}">Search events</a>
      <a class="btn" href="/reports/user_timeline/rows.csv?${timeline.toString()}">Export case</a>`,
  };
}

function writeSubtitle(label: string, profiles: readonly Profile[]): Markup {
  const ids = profiles.flatMap(({ userId }) => userId ?? []);
  const pills = [
    profiles.some(({ isOwner }) => isOwner) ? "account owner" : null,
    profiles.some(({ isAdministrator }) => isAdministrator) ? "administrator" : null,
  ].flatMap((text) => (text === null ? [] : [html` <span class="sev high">${text}</span>`]));
  const isListed = profiles.some((profile) => profile.isListed);
  const directory = isListed
    ? describeListed(profiles)
    : ids.length === 0
      ? "an e-mail only known from the log"
      : "not in the directory";
  return html`${label}${ids.length === 0 ? null : ` · user ${ids.join(", ")}`}${pills.length === 0 ? null : " ·"}${pills}
  · ${directory}`;
}

/**
 * Describes since when a person is listed. The directory has moments in several forms and zones, so the day is shown as
 * recorded.
 */
export function describeListed(profiles: readonly Pick<Profile, "createdAt">[]): string {
  const days = profiles.flatMap(
    ({ createdAt }) => /^\d{4}-\d{2}-\d{2}/.exec(createdAt ?? "") ?? [],
  );
  const [ms] = days.map(Date.parse).filter((each) => !Number.isNaN(each));
  if (ms === undefined) return "in the directory";
  return `in the directory since ${formatShortDay(ms)} ${new Date(ms).getUTCFullYear()}`;
}
