import {
  countDays,
  countStates,
  type QueuedFinding,
  type QueueState,
  queueStates,
  readQueue,
  type StateCount,
} from "../../../answers/findings/queue.ts";
import { readPictureEvents } from "../../../answers/findings/picture-events.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { countText, formatCount, formatDuration } from "../../../base/terminal/amounts.ts";
import { ask } from "../ask.ts";
import { writePage } from "../frame.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import { writeDaysCard } from "./days-card.ts";
import { writeBulkForms, writeUndo } from "./forms.ts";
import { noSignal, type OwnDecisions, readOwnDecisions } from "./own-decisions.ts";
import { type QueueRequest, readQueueRequest } from "./filter.ts";
import { sumCounts, writeFilterBar } from "./filter-bar.ts";
import { writeQueueRow } from "./queue-row.ts";

const rowsOfPage = 50;
const dayMs = 86_400_000;

/** What a page shows above its content after a form: what went wrong, and what had been filled in. */
export type FormNote = {
  readonly problem: string;
  readonly filled: Readonly<Record<string, string>>;
};

type Queue = {
  readonly rows: readonly QueuedFinding[];
  /** The events of their pictures. */
  readonly pictured: Awaited<ReturnType<typeof readPictureEvents>>;
  readonly counts: readonly StateCount[];
  readonly days: Awaited<ReturnType<typeof countDays>>;
  readonly decided: OwnDecisions;
};

/** The queue of findings, the most severe first. Throws UsageError for a bad filter. */
export async function writeFindingsPage(visit: Visit, note?: FormNote): Promise<string> {
  const request = readQueueRequest(visit);
  visit.site.asked.add("findings", visit.params.toString());
  const queue = await readAll(visit, request);
  const { filter } = request;
  const listed = queue.rows[0]?.total ?? 0;
  return writePage(
    {
      visit: { ...visit, range: request.range },
      page: "findings",
      title: "Findings",
      subtitle: describeQueue(queue.counts, visit.site.world.now()),
      actions: html`<a class="btn" href="/findings/detections">Detections</a>
        <a class="btn" href="/findings/suppressions">Suppressions</a>`,
      range: true,
    },
    html`${note === undefined ? null : html`<p class="bad" role="alert">${note.problem}</p>`}
    ${writeUndo(visit, queue.decided.acknowledged)} ${writeFilterBar(visit, request, queue.counts)}
    ${queue.days.length === 0 ? null : writeDaysCard(queue.days, request)}
    ${listed === 0 ? writeNothing(visit, filter.state) : writeList(visit, request, queue, note)}
    ${writeOutside(visit, filter.state, queue.counts)}`,
    { scripts: [readAsset("pipeline/base/html/findings.js")] },
  );
}

// Many responders look at the same queue; what they have decided themselves is read for each.
async function readAll(visit: Visit, { filter, range, page }: QueueRequest): Promise<Queue> {
  const { site } = visit;
  const nowMs = site.world.now();
  const skipped = (page - 1) * rowsOfPage;
  const { during: _, ...rest } = filter;
  const key = `queue ${JSON.stringify([rest, range, page])}`;
  const shared = await site.share(key, () =>
    ask(site, noSignal, async (connection) => {
      const rows = await readQueue(connection, filter, { skipped, most: rowsOfPage });
      const ids = rows.map(({ findingId }) => findingId);
      return {
        rows,
        pictured: await readPictureEvents(connection, ids),
        counts: await countStates(connection, filter, nowMs - dayMs),
        days: await countDays(connection, filter),
      };
    }),
  );
  const decided = await readOwnDecisions(visit);
  return { ...shared, decided };
}

function describeQueue(counts: readonly StateCount[], nowMs: number): string {
  const open = counts.filter((each) => queueStates.open.some((name) => name === each.state));
  const oldest = open
    .flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt]))
    .toSorted()[0];
  const [total, added] = (["findings", "added"] as const).map((column) =>
    sumCounts(counts, "open", column),
  ) as [number, number];
  // After the first evaluation all are new.
  return [
    `${countText(total)} open`,
    ...(added === 0 || added === total ? [] : [`${countText(added)} new since yesterday`]),
    ...(oldest === undefined
      ? []
      : [`oldest open for ${formatDuration(Math.max(0, (nowMs - Date.parse(oldest)) / 1000))}`]),
  ].join(" · ");
}

function writeList(
  visit: Visit,
  { filter, page }: QueueRequest,
  { rows, pictured, decided }: Queue,
  note: FormNote | undefined,
): Markup {
  const isSelectable = getVisitor()?.isResponder === true && filter.state !== "withdrawn";
  const yesterdayMs = visit.site.world.now() - dayMs;
  const fresh = rows.map(({ raisedAt }) => Date.parse(raisedAt) >= yesterdayMs);
  const hasOlder = fresh.includes(false);
  const total = rows[0]!.total;
  const list = rows.map((row, n) =>
    writeQueueRow(row, visit.display, {
      isSelectable,
      isFresh: hasOlder && fresh[n]!,
      events: pictured.get(row.findingId) ?? [],
    }),
  );
  const content = html`${list}
    <div class="foot">
      <span>${writePlace(page, rows.length, total)}</span>${writePaging(visit, page, total)}<span
        class="sp"
      ></span
      ><span class="only-w" data-keys hidden
        >Keys: j k move · Enter open${isSelectable ? " · a acknowledge · x select" : ""}</span
      >
    </div>`;
  const order = html`<span>Severity, new before acknowledged, newest first</span>`;
  if (!isSelectable)
    return html`<div class="card mt12">
      <div class="foot first"><span class="sp"></span>${order}</div>
      ${content}
    </div>`;
  return html`<form class="card mt12" method="post" action="${buildPageUrl(visit, {})}" data-queue>
    ${visit.site.forms.write("/findings")}
    <input type="hidden" name="seen" value="${decided.newestAt}" />
    ${writeBulkForms(filter.state, note?.filled ?? {}, order)} ${content}
  </form>`;
}

function writePlace(page: number, shown: number, total: number): string {
  const first = (page - 1) * rowsOfPage + 1;
  if (shown === total) return formatCount(total, "finding");
  return `${countText(first)}–${countText(first + shown - 1)} of ${formatCount(total, "finding")}`;
}

function writePaging(visit: Visit, page: number, total: number): Markup {
  const previous =
    page === 1
      ? null
      : html`<a href="${buildPageUrl(visit, { page: String(page - 1) })}">Previous</a>`;
  const isLast = page * rowsOfPage >= total;
  const next = isLast
    ? null
    : html`<a href="${buildPageUrl(visit, { page: String(page + 1) })}">Next</a>`;
  return html`${previous}${next}`;
}

function writeNothing(visit: Visit, state: QueueState): Markup {
  const isFiltered = ["severity", "detection", "subject", "search"].some((name) =>
    visit.params.get(name),
  );
  return html`<div class="card mt12">
    <div class="bd">
      ${
        isFiltered || state !== "open"
          ? html`<p><b>No matching findings.</b> <a href="/findings">Show all open findings</a></p>`
          : html`<p>
              <b>No open findings.</b>
              <a href="/findings/detections">Detections and when they ran</a>
            </p>`
      }
    </div>
  </div>`;
}

// A finding without a decision is not to be missed because of its age.
function writeOutside(
  visit: Visit,
  state: QueueState,
  counts: readonly StateCount[],
): Markup | null {
  const outside = sumCounts(counts, state, "outside");
  if (outside === 0) return null;
  const href = buildPageUrl(visit, { since: "2000-01-01", until: "now", page: null });
  return html`<p class="mt12 muted">
    ${formatCount(outside, "more finding")} outside of this range: <a href="${href}">show all</a>
  </p>`;
}
