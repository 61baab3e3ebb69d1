import { formatShortDay } from "../../../answers/chart/ticks.ts";
import type { PersonKey, Profile } from "../../../answers/investigate/person.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatIso } from "../../../base/time/text.ts";
import type { Frame } from "../frame.ts";
import { buildEventsUrl, type SubjectVisit } from "./visit.ts";

/** A person as a page knows them. */
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
      ? "an e-mail of the log alone"
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
