import { AuditlakeError } from "../../base/errors.ts";
import { jobOf, replace, entryOf, type FetchJob, type Queue, type Entry } from "./queue.ts";
import { givenUp, type Beginning, type Landing, type Unserved } from "./task.ts";
import { UnservedPage } from "../source/faults.ts";
import { firstShare, partsOf } from "../source/windows.ts";

// A service that honours the window shows it by the first two parts, however dense they are. The parts of others are
// split a few times more. One that selects by something else than the event time may still come to an end.
const maxUnprovenSplits = 4;
// An answer that alone is too long shows nothing of the service before its parts fit. A short one is tried soon. Where
// even that is too long, a higher limit is what helps.
const maxSplitsUnseen = 2;
const shareTried = 256;
const maxSplitsUnserved = 8;
// Records close together that are not served can keep as many parts in a row from landing, with several under way at
// once. More is a service that is down.
const mostEmptyHanded = 24;

/**
 * Puts the parts of a window in its place that was too long or has a page that is not served. One second is not split:
 * it is read whole, or fails. With a service that ignores the window asked for this would never come to an end. Its
 * windows are read whole as soon as that shows, and given up where it answers something else each time.
 */
export function replaceByParts(queue: Queue, entry: Entry, beginning: Beginning | Unserved): void {
  const { job } = entry;
  if (queue.isStopped) return replace(queue, entry, [entryOf(job)]);
  const { origin } = job;
  const unserved = "fault" in beginning ? beginning : undefined;
  if (unserved !== undefined && !maySplitUnserved(queue, job, unserved))
    return replace(queue, entry, [unservedEntry(job, unserved)]);
  if (queue.ignoresRange)
    return asOne(queue, entry, () => entryOf(jobOf(origin.planned, { ...origin, isWhole: true })));
  if (job.split !== undefined && !queue.honoursRange) queue.unprovenSplits += 1;
  const isUnseen = beginning.firstPage === undefined && unserved === undefined;
  const limit = isUnseen ? maxSplitsUnseen : unserved ? maxSplitsUnserved : maxUnprovenSplits;
  if (!queue.honoursRange && queue.unprovenSplits > limit)
    return asOne(queue, entry, () => {
      const fault = unserved?.fault ?? new AuditlakeError(isUnseen ? tooLongAlone : notOfItsTime);
      return failedEntry(jobOf(origin.planned, { ...origin, isWhole: true }), fault);
    });
  const isBlind = isUnseen && !queue.honoursRange && job.split !== undefined;
  const again = isBlind ? [firstShare(job.window, shareTried)] : [];
  const isPlanned = job.split === undefined && unserved === undefined;
  const windows = partsOf(job.window, isPlanned ? origin.planned.splitsMs : again);
  const split = { whole: beginning, parts: [] as Entry[] };
  for (const window of windows ?? [job.window])
    split.parts.push(entryOf({ ...jobOf(window, origin), split }));
  replace(queue, entry, split.parts);
}

/** Another part of the same window, whose fetch would tell whether the service looks at the window it is asked for. */
export function partToCompare(queue: Queue, { job: { split, window } }: Entry): Entry | undefined {
  if (queue.honoursRange || queue.ignoresRange) return undefined;
  const other = split?.parts.find(({ job }) => job.window.startMs !== window.startMs);
  const mayBegin = !queue.isStopped && other !== undefined && queue.entries.includes(other);
  return other?.landing !== undefined || mayBegin ? other : undefined;
}

/**
 * Notes what two parts tell: one that lands whole, or each beginning in its own time, and the service looks at the
 * window. Both with the same page as the whole, and it does not. A page that is merely another proves nothing: to a log
 * that grows, newest first, each answer begins with another one.
 */
export function learn(queue: Queue, { job }: Entry, beginning: Beginning, landing: Landing): void {
  const other = givenUp(landing);
  if (other === undefined) {
    queue.honoursRange ||= job.maySplit;
    return;
  }
  const all = [job.split!.whole, beginning, other];
  const [first] = all.map(({ firstPage }) => firstPage);
  queue.honoursRange ||= beginning.isInside && other.isInside;
  queue.ignoresRange ||= first !== undefined && all.every(({ firstPage }) => firstPage === first);
}

// The planned window as one entry, in the place of the part that showed the need of it; the rest goes.
function asOne(queue: Queue, entry: Entry, whole: () => Entry): void {
  const { origin } = entry.job;
  replace(queue, entry, origin.isWhole ? [] : [whole()]);
  origin.isWhole = true;
  const others = queue.entries.filter(({ job, landing }) => job.origin === origin && !landing);
  for (const other of others) replace(queue, other, []);
}

const notOfItsTime =
  "more than one read may hold, and splitting it in time does not help: the service's pages are not of the time asked for; expected only records of that time; check sources.<name>.audits.window_params, or set it to null where the service takes no window";
const tooLongAlone =
  "one answer alone is longer than limits.max_page_bytes of the source, and splitting the window in time does not help; raise that, or have the service page: see sources.<name>.audits.paging";

function failedEntry(job: FetchJob, error: AuditlakeError): Entry {
  const landing = Promise.reject(error);
  // It is reported where the fetch is handed out; until then it must not count as unhandled.
  landing.catch(() => undefined);
  return { ...entryOf(job), landing };
}

// Parts help where some pages came, or where others land: then a record is at fault. Before anything came, a refusal is
// one of the settings.
function maySplitUnserved(
  { emptyHanded, hasLanded }: Queue,
  { maySplit, split }: FetchJob,
  { isBegun, fault }: Unserved,
): boolean {
  if (!maySplit || isBegun) return maySplit;
  const mayHelp = split !== undefined || hasLanded || fault instanceof UnservedPage;
  return mayHelp && emptyHanded <= mostEmptyHanded;
}

function unservedEntry(job: FetchJob, { fault, isBegun }: Unserved): Entry {
  const { startMs, endMs } = job.window;
  const isCause = isBegun || (job.split !== undefined && "fault" in job.split.whole);
  return failedEntry({ ...job, isUnserved: isCause && endMs - startMs <= 1000 }, fault);
}
