import type { DuckDBConnection } from "@duckdb/node-api";
import { chooseStep } from "../../../answers/chart/lane.ts";
import {
  collectEvents,
  readActors,
  readAddresses,
  readDatabases,
  readEveryone,
  readNames,
  readSlots,
  sumSlots,
} from "../../../answers/investigate/activity.ts";
import { resolveOn } from "../../../answers/investigate/resolve.ts";
import {
  readSubjectFindings,
  type SubjectKind,
  UnknownSubject,
} from "../../../answers/investigate/subject.ts";
import {
  readHolders,
  readJobStart,
  readObjectKind,
  readSighting,
} from "../../../answers/investigate/thing.ts";
import { formatTime, writePerson } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { shortenMiddle } from "../../../base/printable.ts";
import { countText, formatBytes } from "../../../base/terminal/amounts.ts";
import { formatIso } from "../../../base/time/text.ts";
import { ask } from "../ask.ts";
import { writePageAround } from "../frame.ts";
import { tryParts } from "../pieces.ts";
import type { Visit } from "../visit.ts";
import {
  mostRowsOfCard,
  writeActorsCard,
  writeAddressesCard,
  writeDatabasesCard,
  writeFindingsCard,
  writeNamesCard,
  writeTile,
} from "./cards.ts";
import { readTimelinePage, writeEventsCard } from "./events-card.ts";
import { buildLanes } from "./lanes.ts";
import { writeHoldersCard } from "./rights-cards.ts";
import { writeDenialsCard, writeHoursCard } from "./time-cards.ts";
import { writeTimelineCard } from "./timeline-card.ts";
import { buildEventsUrl, readSubjectVisit, type SubjectVisit } from "./visit.ts";

/** Subjects with a page that are not people. */
export type ThingKind = Exclude<SubjectKind, "user">;

/** The first part of the path of each kind. */
export const thingFolders = [
  ["addresses", "address"],
  ["objects", "resource"],
  ["jobs", "job"],
] as const;

const holdersOfCard = 15;

/** The page of an address, an object or a job: who used it, what happened, rights to it; comes in pieces. */
export async function* writeThingPage(
  asked: Visit,
  kind: ThingKind,
  text: string,
): AsyncGenerator<string> {
  const asVisited = readSubjectVisit(asked);
  const { visit } = asVisited;
  visit.site.asked.add("report", `${kind} ${text}`);
  const { name, subjectVisit, word } = await ask(visit.site, visit.gone, async (connection) => {
    const thing = await findThing(connection, asVisited, kind, text);
    return { ...thing, word: await nameKind(connection, kind, thing.name) };
  });
  const { range } = subjectVisit;
  const title = shortenMiddle(name);
  const params = new URLSearchParams({
    [kind]: name,
    since: formatIso(range.sinceMs),
    until: formatIso(range.untilMs),
  });
  const [before, after] = writePageAround(
    {
      visit,
      page: undefined,
      title,
      ...(title === name ? {} : { subtitle: name }),
      crumbs: [
        [word, undefined],
        [title, undefined],
      ],
      range: true,
      actions: html`<a class="btn" href="${buildEventsUrl(getFilter(kind, name), range)}"
          >Search events</a
        >
        <a class="btn" href="/reports/${kind}_timeline/rows.csv?${params.toString()}"
          >Export case</a
        >`,
    },
    html``,
  );
  yield before;
  yield* tryParts([
    async () => {
      const use = await ask(visit.site, visit.gone, (connection) =>
        readUse(connection, subjectVisit, kind, name),
      );
      return writeUse(subjectVisit, use, getFilter(kind, name));
    },
    () =>
      ask(visit.site, visit.gone, async (connection) => {
        const page = await readTimelinePage(visit, connection, kind, name, range);
        return html`<section id="events">${writeEventsCard(visit, page)}</section>`;
      }),
  ]);
  yield after;
}

// A job is shown from its issue on. A name that only another range knows is shown with what there is: nothing.
async function findThing(
  connection: DuckDBConnection,
  { visit, range }: SubjectVisit,
  kind: ThingKind,
  text: string,
): Promise<{ readonly name: string; readonly subjectVisit: SubjectVisit }> {
  const name = text.trim();
  const asTyped = { name, subjectVisit: { visit, range } };
  if (kind === "job") {
    const startMs = visit.params.has("since") ? null : await readJobStart(connection, name);
    if (startMs === null || startMs >= range.untilMs) return asTyped;
    return { name, subjectVisit: { visit, range: { ...range, sinceMs: startMs } } };
  }
  try {
    const { subject } = await resolveOn(connection, kind, text, {}, range);
    // Keeps the typed text if it differs only in case.
    return subject.value === name.toLowerCase() ? asTyped : { ...asTyped, name: subject.value };
  } catch (error) {
    if (!(error instanceof UnknownSubject) || kind === "address") throw error;
    return asTyped;
  }
}

async function nameKind(
  connection: DuckDBConnection,
  kind: ThingKind,
  name: string,
): Promise<string> {
  if (kind === "resource") return readObjectKind(connection, name);
  return kind === "job" ? "Job" : "Address";
}

function getFilter(kind: ThingKind, name: string): Readonly<Record<string, string>> {
  return kind === "address" ? { address: name } : { object: name };
}

async function readUse(
  connection: DuckDBConnection,
  { visit, range }: SubjectVisit,
  kind: ThingKind,
  name: string,
) {
  await collectEvents(connection, kind, range, { [kind]: name, before: null });
  const isShort = chooseStep(range.sinceMs, range.untilMs) === undefined;
  const mostHolders = visit.showsAllRows ? mostRowsOfCard : holdersOfCard;
  const onMs = Math.min(visit.site.world.now(), range.untilMs);
  return {
    slots: await readSlots(connection, isShort ? "second" : "quarter"),
    actors: await readActors(connection),
    names: await readNames(connection),
    addresses: await readAddresses(connection, range),
    databases: kind === "resource" ? [] : await readDatabases(connection),
    findings: await readSubjectFindings(connection, [], name),
    sighting: await readSighting(connection, kind, name),
    holders: kind === "resource" ? await readHolders(connection, name, onMs, mostHolders) : [],
    everyone: await readEveryone(connection, range),
    onMs,
  };
}

type Use = Awaited<ReturnType<typeof readUse>>;

function writeUse(
  subjectVisit: SubjectVisit,
  use: Use,
  filter: Readonly<Record<string, string>>,
): Markup {
  const { visit, range } = subjectVisit;
  const { slots, findings, holders, onMs, sighting } = use;
  // An unknown name: the card of events has the sentence.
  if (slots.length === 0 && sighting === undefined && findings.length + holders.length === 0)
    return html``;
  const lanes = buildLanes({
    range,
    zone: visit.display.zone,
    slots,
    findings,
    getHref: (sinceMs, untilMs, more) =>
      buildEventsUrl({ ...filter, ...more }, { sinceMs, untilMs }),
  });
  return html`<div class="grid g6">${listTiles(subjectVisit, use, filter)}</div>
    ${findings.length === 0 ? null : html`<section>${writeFindingsCard(visit, findings)}</section>`}
    ${slots.length === 0 ? null : html`<section>${writeTimelineCard(subjectVisit, lanes, slots)}</section>`}
    ${slots.length === 0 ? null : writeUseCards(subjectVisit, use, filter)}
    ${holders.length === 0 ? null : html`<section>${writeHoldersCard(visit, holders, onMs)}</section>`}`;
}

function writeUseCards(
  subjectVisit: SubjectVisit,
  { slots, actors, names, addresses, databases, everyone }: Use,
  filter: Readonly<Record<string, string>>,
): Markup {
  const { visit } = subjectVisit;
  const others = [
    "address" in filter ? null : writeAddressesCard(visit, addresses, true),
    writeDenialsCard(subjectVisit, slots),
    writeDatabasesCard(visit, databases),
  ].filter((card) => card !== null);
  return html`<section class="grid g2">
      ${writeActorsCard(visit, actors)} ${writeNamesCard(visit, names)}
    </section>
    <section class="grid ${others.length === 2 ? "g3" : "g2"}">
      ${others} ${writeHoursCard(subjectVisit, slots, everyone, filter)}
    </section>`;
}

function listTiles(
  { visit, range }: SubjectVisit,
  { slots, actors, sighting }: Use,
  filter: Readonly<Record<string, string>>,
): Markup[] {
  const refused = sumSlots(slots, (slot) => (slot.lane === "denial" ? slot.events : 0));
  const bytes = sumSlots(slots, (slot) => slot.bytes ?? 0);
  const [first, last] = [
    sighting?.firstSeenMs ?? Math.min(...actors.map(({ firstMs }) => firstMs)),
    sighting?.lastSeenMs ?? Math.max(...actors.map(({ lastMs }) => lastMs)),
  ].map((ms) =>
    Number.isFinite(ms) ? formatTime(new Date(ms).toISOString(), visit.display) : html`—`,
  );
  const where = sighting === undefined ? "in this range" : "in the log";
  const link = { href: buildEventsUrl(filter, range) };
  return [
    writeTile("Events", countText(sumSlots(slots, ({ events }) => events)), "in this range", link),
    writeTile(
      "People",
      countText(actors.length),
      actors[0] === undefined
        ? "none"
        : html`most: ${writePerson(actors[0].actor, { domain: visit.display.domain })}`,
    ),
    writeTile("Denials", countText(refused), "failed or denied"),
    writeTile("Downloaded", formatBytes(bytes), bytes > 0 ? "results" : "nothing"),
    writeTile("First seen", first, where),
    writeTile("Last seen", last, where),
  ];
}
