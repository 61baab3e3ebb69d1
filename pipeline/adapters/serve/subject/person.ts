import type { DuckDBConnection } from "@duckdb/node-api";
import { chooseStep } from "../../../answers/chart/lane.ts";
import {
  collectEvents,
  readAddresses,
  readDatabases,
  readEveryone,
  readSlots,
} from "../../../answers/investigate/activity.ts";
import { readRisk } from "../../../answers/investigate/people.ts";
import {
  collectAccess,
  readEndedRights,
  readGivenRights,
  readOtherMembers,
  readRightsNow,
  readStrongestGrants,
} from "../../../answers/investigate/person-rights.ts";
import { bindKeys, findPersonKeys, readProfiles } from "../../../answers/investigate/person.ts";
import { resolveOn } from "../../../answers/investigate/resolve.ts";
import { readSubjectFindings } from "../../../answers/investigate/subject.ts";
import { readUsual } from "../../../answers/investigate/usual.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { ask } from "../ask.ts";
import { writePageAround } from "../frame.ts";
import { tryParts } from "../pieces.ts";
import type { Visit } from "../visit.ts";
import { writeAddressesCard, writeDatabasesCard, writeFindingsCard } from "./cards.ts";
import { readTimelinePage, writeEventsCard } from "./events-card.ts";
import { buildLanes } from "./lanes.ts";
import { type Activity, buildPersonFrame, listTiles, type Person } from "./person-tiles.ts";
import { writeGrantsCard, writeMembersCard } from "./rights-cards.ts";
import { writeRightsCard } from "./rights-now.ts";
import { writeDenialsCard, writeHoursCard } from "./time-cards.ts";
import { writeTimelineCard } from "./timeline-card.ts";
import { buildEventsUrl, readSubjectVisit, type SubjectVisit } from "./visit.ts";

const grantsOfCard = 8;
const membersOfCard = 10;

/** What a person did, and what may be done to find out more; comes in pieces. Throws UsageError for an unknown person. */
export async function* writePersonPage(asked: Visit, name: string): AsyncGenerator<string> {
  const subjectVisit = readSubjectVisit(asked);
  const { visit, range } = subjectVisit;
  visit.site.asked.add("report", `person ${name}`);
  const person = await ask(visit.site, visit.gone, (connection) =>
    findPerson(connection, name, range),
  );
  const [before, after] = writePageAround(buildPersonFrame(subjectVisit, person), html``);
  yield before;
  let cards: SideCards = { beside: [], below: [], grants: [] };
  yield* tryParts([
    async () => {
      const read = (connection: DuckDBConnection) =>
        writeActivity(connection, subjectVisit, person);
      const { main, ...others } = await ask(visit.site, visit.gone, read);
      cards = others;
      return main;
    },
    () =>
      ask(visit.site, visit.gone, (connection) =>
        writeRights(connection, subjectVisit, person, cards),
      ),
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

/** Cards that are placed among those of rights. */
type SideCards = Readonly<Record<"beside" | "below" | "grants", readonly Markup[]>>;

async function writeActivity(
  connection: DuckDBConnection,
  subjectVisit: SubjectVisit,
  person: Person,
): Promise<SideCards & { readonly main: Markup }> {
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
  const addressesCard = writeAddressesCard(visit, addresses, !isShort);
  const denials = writeDenialsCard(subjectVisit, slots);
  // Hours of the day compare days.
  const times = isShort
    ? []
    : [
        writeHoursCard(subjectVisit, slots, everyone, { person: person.label }),
        ...(denials === null ? [] : [denials]),
        ...(addressesCard === null ? [] : [addressesCard]),
      ];
  const main = html`<div class="grid g6">${listTiles(subjectVisit, person.label, activity)}</div>
    ${findings.length === 0 ? null : html`<section>${writeFindingsCard(visit, findings)}</section>`}
    <section>${drawTimeline(subjectVisit, person, activity)}</section>
    ${isShort ? null : html`<section class="grid g${times.length}">${times}</section>`}`;
  const list = (...cards: (Markup | null)[]) => cards.filter((card) => card !== null);
  return {
    main,
    beside: list(writeDatabasesCard(visit, databases)),
    below: isShort ? list(addressesCard, denials) : [],
    grants: list(writeGrantsCard(visit, grants)),
  };
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
  { beside, below, grants }: SideCards,
): Promise<Markup> {
  const users = keys.flatMap(({ source, userId }) => (userId === null ? [] : [{ source, userId }]));
  const onMs = Math.min(visit.site.world.now(), range.untilMs);
  const rights: Markup[] = [];
  const members: Markup[] = [];
  for (const user of users) {
    await collectAccess(connection, user);
    const held = await readRightsNow(connection, user, onMs);
    const ended = await readEndedRights(connection, user, onMs);
    rights.push(writeRightsCard(visit, held, ended, { person: user.userId, onMs }));
    const others = await readOtherMembers(connection, user, range, membersOfCard);
    const card = writeMembersCard(visit, others);
    if (card !== null) members.push(card);
  }
  const last = [...below, ...members, ...grants];
  const nothing = html`<p class="small muted mt12">The directory has no rights of ${label}.</p>`;
  return html`${users.length === 0 ? nothing : null} ${writeRow([...rights, ...beside], "g32")}
  ${writeRow(last, "g2")}`;
}

function writeRow(cards: Markup[], columns: string): Markup | null {
  if (cards.length === 0) return null;
  return html`<section class="grid ${cards.length === 1 ? null : `${columns} fill`}">
    ${cards}
  </section>`;
}
