import { formatDay } from "../../../base/time/text.ts";
import { drawDays } from "../../../answers/chart/sparkline.ts";
import { listDays } from "../../../answers/chart/slots.ts";
import {
  peopleOrders,
  type PeopleOrder,
  type PersonRow,
  readPeople,
} from "../../../answers/investigate/people.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import { writePerson } from "../../../base/html/formats.ts";
import { writeTable } from "../../../base/html/table.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { UsageError } from "../../../base/errors.ts";
import { computeOffset, toWallMs } from "../../../base/time/wall.ts";
import { ask } from "../ask.ts";
import { writePageAround } from "../frame.ts";
import { buildSubjectUrl } from "../leads.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { cellOf, numberOf, textOf, timeOf } from "../columns.ts";
import { tryParts } from "../pieces.ts";
import { readSubjectVisit, type SubjectVisit } from "./visit.ts";

const peopleOfPage = 100;

const orderNames: Readonly<Record<PeopleOrder, string>> = {
  risk: "Risk",
  events: "Events",
  refused: "Denials",
  bytes: "Downloaded",
  seen: "Last seen",
};

/**
 * People of the directory and of the log, those with the highest risk first; comes in pieces. Throws UsageError for a
 * bad order or page.
 */
export async function* writePeoplePage(asked: Visit): AsyncGenerator<string> {
  const subjectVisit = readSubjectVisit(asked);
  const { visit, range } = subjectVisit;
  const search = visit.params.get("q")?.trim() || null;
  const order = readOrder(visit);
  const page = readPageNumber(visit);
  visit.site.asked.add("report", `people ${visit.params.toString()}`.trim());
  const [before, after] = writePageAround(
    {
      visit,
      page: "people",
      title: "People",
      subtitle: "All people of the directory and the log, with risk and activity in the range",
      range: true,
    },
    writeForm(visit, search, order),
  );
  yield before;
  const question = {
    range,
    offsetMinutes: computeOffset(visit.display.zone, range.untilMs) / 60_000,
    search,
    order,
    most: peopleOfPage,
    skipped: (page - 1) * peopleOfPage,
  };
  yield* tryParts([
    async () => {
      const people = await ask(visit.site, visit.gone, (connection) =>
        readPeople(connection, question),
      );
      return people.length === 0 ? writeNothing(search) : writeList(subjectVisit, people, page);
    },
  ]);
  yield after;
}

function readOrder({ params }: Visit): PeopleOrder {
  const given = params.get("order") ?? "risk";
  const order = peopleOrders.find((name) => name === given);
  if (order !== undefined) return order;
  throw new UsageError(`order is unknown; expected one of ${peopleOrders.join(", ")}`);
}

function readPageNumber({ params }: Visit): number {
  const text = params.get("page") ?? "1";
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError("page is not a number from 1");
}

function writeForm(visit: Visit, search: string | null, order: PeopleOrder): Markup {
  const { since, until } = visit.range;
  const links = peopleOrders.map(
    (name) =>
      html`<a
        href="${buildPageUrl(visit, { order: name, page: null })}"
        ${name === order ? html` aria-current="true"` : null}
        >${orderNames[name]}</a
      >`,
  );
  return html`<form class="form mt12" action="/people">
    <input type="hidden" name="since" value="${escapeField(since)}" />
    <input type="hidden" name="until" value="${escapeField(until)}" />
    <input type="hidden" name="order" value="${order}" />
    <label class="field grow"
      >Name, e-mail or user id<input
        name="q"
        value="${escapeField(search ?? "")}"
        autocomplete="off"
    /></label>
    <button class="btn pri">Search</button>
    <div class="seg" role="group" aria-label="Order">${links}</div>
  </form>`;
}

function writeNothing(search: string | null): Markup {
  const text =
    search === null
      ? html`<b>No people yet.</b> Run <code>auditlake ingest</code>, then reload.`
      : html`<b>No matching people</b> for ${search}. <a href="/people">Show all</a>`;
  return html`<section class="card"><p class="bd">${text}</p></section>`;
}

function writeList(
  { visit, range }: SubjectVisit,
  people: readonly PersonRow[],
  page: number,
): Markup {
  const { display } = visit;
  const total = people[0]!.people;
  const [first, last] = [range.sinceMs, range.untilMs - 1].map((ms) =>
    formatDay(toWallMs(display.zone, ms)),
  );
  const days = listDays(first!, last!);
  const [from, to] = [(page - 1) * peopleOfPage + 1, (page - 1) * peopleOfPage + people.length];
  const table = writeTable({
    label: "People",
    title: formatCount(total, "person").replace("persons", "people"),
    display,
    isMarked: (row) => Number(row[2]) >= 70,
    columns: listColumns(visit, people, days),
    rows: people.map((one, i) => [
      one.person,
      one.name,
      one.risk,
      one.reasons,
      listMarks(one),
      cellOf(one.lastSeenMs),
      one.events,
      one.refused,
      one.bytes,
      one.days ?? "none",
      one.source,
      i,
    ]),
    showsAll: visit.showsAllColumns,
    foot: html`<span>Showing ${countText(from)}–${countText(to)} of ${countText(total)}</span
      ><span class="sp"></span>
      ${page > 1 ? html`<a href="${buildPageUrl(visit, { page: String(page - 1) })}">Previous</a>` : null}
      ${to < total ? html`<a href="${buildPageUrl(visit, { page: String(page + 1) })}">Next</a>` : null}`,
  });
  return html`<section>${table}</section>`;
}

function listColumns(
  { display }: Visit,
  people: readonly PersonRow[],
  days: readonly string[],
): TableColumn[] {
  const find = (at: unknown): PersonRow => people[Number(at)]!;
  const isOfSources = new Set(people.map(({ source }) => source)).size > 1;
  return [
    textOf("person", "Person", {
      write: (cell, row) =>
        writePerson(String(cell), {
          href: buildSubjectUrl("user", find(row[11]).userId ?? String(cell)),
          domain: display.domain,
        }),
    }),
    textOf("name", "Name", { isMinor: true }),
    numberOf("risk", "Risk"),
    textOf("reasons", "Because", { isFlexible: true }),
    textOf("marks", "Account", {
      isMinor: true,
      write: (_cell, row) => writeMarks(find(row[11])),
    }),
    timeOf("last_seen", "Last seen"),
    numberOf("events", "Events"),
    numberOf("refused", "Denials", { isMinor: true }),
    numberOf("bytes", "Downloaded", { isMinor: true }),
    textOf("days", "Per day", {
      isMinor: true,
      write: (_cell, row) => {
        const { person, days: text } = find(row[11]);
        return drawDays(text ?? "", days, {
          label: `Events of ${person} per day`,
          height: 22,
          compared: -1,
        });
      },
    }),
    textOf("source", "Source", { isHidden: !isOfSources }),
    numberOf("place", "Place", { isHidden: true }),
  ];
}

// Whether a column is shown depends on whether its cells differ.
function listMarks({ isOwner, isAdministrator, isService, isListed }: PersonRow): string {
  return JSON.stringify([isOwner, isAdministrator, isService, isListed]);
}

function writeMarks(one: PersonRow): Markup {
  const pills = [
    one.isOwner ? ["account owner", "high"] : null,
    one.isAdministrator ? ["administrator", "high"] : null,
    one.isService
      ? [one.person.startsWith("svc") ? "service account" : "no sign-in", "info"]
      : null,
    one.isListed ? null : ["not in the directory", "info"],
  ].flatMap((pill) =>
    pill === null ? [] : [html`<span class="sev ${pill[1]!}">${pill[0]!}</span> `],
  );
  return html`${pills}`;
}
