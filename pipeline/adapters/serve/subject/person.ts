import type { DuckDBConnection } from "@duckdb/node-api";
import { chooseStep } from "../../../answers/chart/lane.ts";
import {
  collectEvents,
  readAddresses,
  readDatabases,
  readEveryone,
  readSlots,
} from "../../../answers/investigate/activity.ts";
import {
  bindKeys,
  findPersonKeys,
  type PersonKey,
  type Profile,
  readProfiles,
} from "../../../answers/investigate/person.ts";
import {
  readEndedRights,
  readGivenRights,
  readOtherMembers,
  readRightsNow,
  readStrongestGrants,
} from "../../../answers/investigate/person-rights.ts";
import { readSubjectFindings } from "../../../answers/investigate/subject-findings.ts";
import { readRisk } from "../../../answers/investigate/people.ts";
import { readUsual } from "../../../answers/investigate/usual.ts";
import { resolveOn } from "../../../answers/investigate/resolve.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatDay, formatIso, parseSpaced } from "../../../base/time/text.ts";
import { ask } from "../ask.ts";
import { type Frame, writePageAround } from "../frame.ts";
import type { Visit } from "../visit.ts";
import { writeAddressesCard, writeDatabasesCard, writeFindingsCard } from "./cards.ts";
import { writeDenialsCard, writeHoursCard } from "./time-cards.ts";
import { readTimelinePage, writeEventsCard } from "./events-card.ts";
import { buildLanes } from "./lanes.ts";
import { writeTimelineCard } from "./timeline-card.ts";
import { tryPieces } from "./pieces.ts";
import { writeGrantsCard, writeMembersCard } from "./rights-cards.ts";
import { writeRightsCard } from "./rights-now.ts";
import { type Activity, listTiles } from "./person-tiles.ts";
import { buildEventsUrl, readSubjectVisit, type SubjectVisit } from "./visit.ts";

const grantsOfCard = 8;
const membersOfCard = 10;

/** A person as a page knows them. */
type Person = {
  /** What the timeline of the person is asked with: an id or an e-mail. */
  readonly subject: string;
  readonly keys: readonly PersonKey[];
  readonly profiles: readonly Profile[];
  /** The e-mail that was known last, else `user 17`. */
  readonly label: string;
};

/** What a person did, and what may be done to find out more; comes in pieces. Throws UsageError for an unknown person. */
export async function* writePersonPage(asked: Visit, name: string): AsyncGenerator<string> {
  const subjectVisit = readSubjectVisit(asked);
  const { visit, range } = subjectVisit;
  visit.site.asked.add("report", `person ${name}`);
  const person = await ask(visit.site, visit.gone, (connection) =>
    findPerson(connection, name, range),
  );
  const [before, after] = writePageAround(buildFrame(subjectVisit, person), html``);
  yield before;
  yield* tryPieces([
    () =>
      ask(visit.site, visit.gone, (connection) => writeActivity(connection, subjectVisit, person)),
    () =>
      ask(visit.site, visit.gone, (connection) => writeRights(connection, subjectVisit, person)),
    () =>
      ask(visit.site, visit.gone, async (connection) => {
        const page = await readTimelinePage(visit, connection, "user", person.subject, range);
        return html`<section id="events">${writeEventsCard(visit, page)}</section>`;
      }),
  ]);
  yield after;
}

async function findPerson(
  connection: DuckDBConnection,
  name: string,
  range: SubjectVisit["range"],
): Promise<Person> {
  const text = name.replace(/^user (?=\d+$)/, "");
  const { subject } = await resolveOn(connection, "user", text, {}, range);
  const keys = await findPersonKeys(connection, subject.value);
  const profiles = await readProfiles(connection, keys);
  const emails = keys.flatMap(({ email }) => email ?? []);
  const label =
    profiles.find(({ email }) => email !== null)?.email ?? emails[0] ?? `user ${subject.value}`;
  return { subject: subject.value, keys, profiles, label };
}

function buildFrame({ visit, range }: SubjectVisit, { label, profiles }: Person): Frame {
  const { display } = visit;
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
    subtitle: writeSubtitle(label, profiles, display),
    crumbs: [
      ["People", "/people"],
      [label, undefined],
    ],
    range: true,
    actions: html`<a class="btn" href="${buildEventsUrl(person, range)}">Search events</a>
      <a class="btn" href="/reports/user_timeline/rows.csv?${timeline.toString()}">Export case</a>`,
  };
}

function writeSubtitle(
  label: string,
  profiles: readonly Profile[],
  display: Visit["display"],
): Markup {
  const ids = profiles.flatMap(({ userId }) => userId ?? []);
  const pills = [
    profiles.some(({ isOwner }) => isOwner) ? "account owner" : null,
    profiles.some(({ isAdministrator }) => isAdministrator) ? "administrator" : null,
  ].flatMap((text) => (text === null ? [] : [html` <span class="sev high">${text}</span>`]));
  const isListed = profiles.some((profile) => profile.isListed);
  const created = profiles.find(({ createdAt }) => createdAt !== null)?.createdAt;
  const directory = isListed
    ? created == null
      ? "in the directory"
      : html`in the directory since ${formatTime(formatDay(parseSpaced(created)), display)}`
    : ids.length === 0
      ? "an e-mail of the log alone"
      : "not in the directory";
  return html`${label}${ids.length === 0 ? null : ` · user ${ids.join(", ")}`}${pills.length === 0 ? null : " ·"}${pills}
  · ${directory}`;
}

async function writeActivity(
  connection: DuckDBConnection,
  subjectVisit: SubjectVisit,
  person: Person,
): Promise<Markup> {
  const { visit, range } = subjectVisit;
  const { keys } = person;
  await collectEvents(connection, "user", range, bindKeys(keys));
  const isShort = chooseStep(range.sinceMs, range.untilMs) === undefined;
  const slots = await readSlots(connection, isShort ? "second" : "quarter");
  const addresses = await readAddresses(connection, range);
  const databases = await readDatabases(connection);
  const findings = await readSubjectFindings(connection, keys, null);
  const given = await readGivenRights(connection, keys, range);
  const grants = await readStrongestGrants(connection, keys, range, grantsOfCard);
  const usual = await readUsual(connection, keys, range);
  const risk = await readRisk(connection, keys);
  const everyone = await readEveryone(connection, range);
  const activity = { slots, addresses, findings, given, grants, usual, risk };
  const denials = writeDenialsCard(subjectVisit, slots);
  return html`<div class="grid g6">${listTiles(subjectVisit, person.label, activity)}</div>
    ${findings.length === 0 ? null : html`<section>${writeFindingsCard(visit, findings)}</section>`}
    <section>${drawTimeline(subjectVisit, person, activity)}</section>
    <section class="grid ${denials === null ? "g2" : "g3"}">
      ${writeHoursCard(subjectVisit, slots, everyone, { person: person.label })} ${denials}
      ${writeAddressesCard(subjectVisit, addresses)}
    </section>
    ${databases.length === 0 ? null : html`<section>${writeDatabasesCard(visit, databases)}</section>`}`;
}

function drawTimeline(
  subjectVisit: SubjectVisit,
  { label }: Person,
  { slots, findings, given, grants }: Activity,
): Markup {
  const { visit, range } = subjectVisit;
  const lanes = buildLanes({
    range,
    zone: visit.display.zone,
    slots,
    findings,
    given,
    grants,
    getHref: (sinceMs, untilMs, more) =>
      buildEventsUrl({ person: label, ...more }, { sinceMs, untilMs }),
  });
  return writeTimelineCard(subjectVisit, lanes, slots);
}

async function writeRights(
  connection: DuckDBConnection,
  { visit, range }: SubjectVisit,
  { keys, label }: Person,
): Promise<Markup> {
  const users = keys.flatMap(({ source, userId }) => (userId === null ? [] : [{ source, userId }]));
  const onMs = Math.min(visit.site.world.now(), range.untilMs);
  const grants = writeGrantsCard(
    visit,
    await readStrongestGrants(connection, keys, range, grantsOfCard),
  );
  const sections: Markup[] = [];
  for (const user of users) {
    const held = await readRightsNow(connection, user, onMs);
    const ended = await readEndedRights(connection, user, onMs);
    const members = await readOtherMembers(connection, user, range, membersOfCard);
    const beside = [writeMembersCard(visit, members), user === users[0] ? grants : null].filter(
      (card) => card !== null,
    );
    const rights = writeRightsCard(visit, held, ended, { person: user.userId, onMs });
    sections.push(
      beside.length === 0
        ? html`<section>${rights}</section>`
        : html`<section class="grid g32">
            ${rights}
            <div class="grid">${beside}</div>
          </section>`,
    );
  }
  if (sections.length > 0) return html`${sections}`;
  return html`<p class="small muted mt12">The directory has no rights of ${label}.</p>`;
}
