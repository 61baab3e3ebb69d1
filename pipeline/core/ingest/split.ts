import { AuditlakeError } from "../../base/errors.ts";
import {
  type GivenUp,
  type LandResult,
  newFetch,
  type Queue,
  type QueuedFetch,
  replaceFetch,
  restartFetch,
} from "./fetch.ts";
import { UnservedPage } from "../source/faults.ts";
import { splitOffShare, splitWindow } from "../source/windows.ts";

// The first two parts show whether a service honours the window, however dense they are. For other services the parts
// are split a few times more: a service that selects by another time can still come to an end.
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
 * Replaces a window that is too long, or has a page that is not served, by its parts. One second is never split: it is
 * read whole or fails. For a service that ignores the window, splitting would not end, so its windows are read whole as
 * soon as that shows, and given up if its answers change each time.
 */
export function replaceByParts(queue: Queue, fetch: QueuedFetch, beginning: GivenUp): void {
  if (queue.isStopped) return replaceFetch(queue, fetch, [restartFetch(fetch)]);
  const { origin, split, window } = fetch;
  const { fault } = beginning;
  if (fault !== undefined && !maySplitUnserved(queue, fetch, beginning))
    return replaceFetch(queue, fetch, [
      newUnservedFetch(fetch, fault, beginning.hasStarted === true),
    ]);
  const newWholeFetch = (): QueuedFetch => newFetch(origin.planned, { ...origin, isWhole: true });
  if (queue.ignoresRange) return fetchAsOne(queue, fetch, newWholeFetch);
  if (split !== undefined && !queue.honoursRange) queue.unprovenSplits += 1;
  const isUnseen = beginning.firstPage === undefined && fault === undefined;
  const limit = isUnseen ? maxSplitsUnseen : fault ? maxSplitsUnserved : maxUnprovenSplits;
  if (!queue.honoursRange && queue.unprovenSplits > limit)
    return fetchAsOne(queue, fetch, () =>
      markFailed(
        newWholeFetch(),
        fault ?? new AuditlakeError(isUnseen ? tooLongAlone : notOfItsTime),
      ),
    );
  const isBlind = isUnseen && !queue.honoursRange && split !== undefined;
  const again = isBlind ? [splitOffShare(window, shareTried)] : [];
  const isPlanned = split === undefined && fault === undefined;
  const windows = splitWindow(window, isPlanned ? origin.planned.splitsMs : again);
  const parts: QueuedFetch[] = [];
  const own = { whole: beginning, parts };
  for (const part of windows ?? [window]) parts.push({ ...newFetch(part, origin), split: own });
  replaceFetch(queue, fetch, parts);
}

/** Finds another part of the same window, whose fetch shows whether the service honours the requested window. */
export function findPartToCompare(
  queue: Queue,
  { split, window }: QueuedFetch,
): QueuedFetch | undefined {
  if (queue.honoursRange || queue.ignoresRange) return undefined;
  const other = split?.parts.find((part) => part.window.startMs !== window.startMs);
  const mayBegin = !queue.isStopped && other !== undefined && queue.entries.includes(other);
  return other?.landing !== undefined || mayBegin ? other : undefined;
}

/**
 * Learns from two parts: if one is complete, or each begins in its own time, the service honours the window. If both
 * have the same page as the whole, it does not. A different page alone proves nothing: with a growing log, newest
 * first, every answer begins differently.
 */
export function learnFromSplit(
  queue: Queue,
  { maySplit, split }: QueuedFetch,
  beginning: GivenUp,
  landed: LandResult,
): void {
  if ("manifest" in landed) {
    queue.honoursRange ||= maySplit;
    return;
  }
  const other = landed.givenUp;
  const [first, ...others] = [split!.whole, beginning, other].map(({ firstPage }) => firstPage);
  queue.honoursRange ||= beginning.isInside && other.isInside;
  queue.ignoresRange ||= first !== undefined && others.every((page) => page === first);
}

// The planned window as one fetch, in the place of the part that showed the need of it; the rest goes.
function fetchAsOne(queue: Queue, fetch: QueuedFetch, whole: () => QueuedFetch): void {
  const { origin } = fetch;
  replaceFetch(queue, fetch, origin.isWhole ? [] : [whole()]);
  origin.isWhole = true;
  const others = queue.entries.filter((one) => one.origin === origin && !one.landing);
  for (const other of others) replaceFetch(queue, other, []);
}

const notOfItsTime =
  "more than one read may contain, and splitting it in time does not help: the service returns records outside the requested time; check sources.<name>.audits.window_params, or set it to null where the service takes no window";
const tooLongAlone =
  "one response is larger than limits.max_page_bytes of the source, and splitting the window in time does not help; raise that limit, or use paging: see sources.<name>.audits.paging";

function markFailed(fetch: QueuedFetch, error: AuditlakeError): QueuedFetch {
  const landing = Promise.reject(error);
  // It is reported where the fetch is handed out; until then it must not count as unhandled.
  landing.catch(() => undefined);
  return { ...restartFetch(fetch), landing };
}

// Parts help where some pages came, or where others land: then a record is at fault. Before anything came, a refusal is
// one of the settings.
function maySplitUnserved(
  { emptyHanded, hasLanded }: Queue,
  { maySplit, split }: QueuedFetch,
  { hasStarted, fault }: GivenUp,
): boolean {
  if (!maySplit || hasStarted === true) return maySplit;
  const mayHelp = split !== undefined || hasLanded || fault instanceof UnservedPage;
  return mayHelp && emptyHanded <= mostEmptyHanded;
}

function newUnservedFetch(
  fetch: QueuedFetch,
  fault: AuditlakeError,
  hasStarted: boolean,
): QueuedFetch {
  const { startMs, endMs } = fetch.window;
  const isCause = hasStarted || fetch.split?.whole.fault !== undefined;
  return markFailed({ ...fetch, isUnserved: isCause && endMs - startMs <= 1000 }, fault);
}
