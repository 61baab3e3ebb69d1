import { AuditlakeError } from "../errors.ts";
import { jobOf, replace, turnOf, type Line, type Turn } from "./queue.ts";
import type { Beginning, Landing } from "./task.ts";
import { firstShare, partsOf } from "../source/windows.ts";

// A service that honours the window shows it by the first two parts, however dense they are. The parts of others are
// cut a few times more, since one that selects by something else than the event time may still come to an end.
const maxUnprovenSplits = 4;
// An answer that alone is too long shows nothing of the service before its parts fit: a short one is tried soon, and
// where even that is too long, a higher limit is what helps.
const maxCutsUnseen = 2;
const shareTried = 256;

/**
 * Puts the parts of a window that was too long in its place, down to one second, which is read whole. With a
 * service that ignores the window asked for this would never come to an end: its windows are read whole as soon
 * as that shows, and given up where it answers something else each time.
 */
export function cutUp(line: Line, turn: Turn, beginning: Beginning): void {
  const { job } = turn;
  if (line.isStopped) return replace(line, turn, [turnOf(job)]);
  const { origin } = job;
  if (line.ignoresRange)
    return asOne(line, turn, () => turnOf(jobOf(origin.planned, { ...origin, isWhole: true })));
  if (job.cut !== undefined && !line.honoursRange) line.unprovenSplits += 1;
  const isUnseen = beginning.firstPage === undefined;
  if (!line.honoursRange && line.unprovenSplits > (isUnseen ? maxCutsUnseen : maxUnprovenSplits))
    return asOne(line, turn, () => failedTurn(turn, isUnseen ? tooLongAlone : notOfItsTime));
  const isBlind = isUnseen && !line.honoursRange && job.cut !== undefined;
  const again = isBlind ? [firstShare(job.window, shareTried)] : [];
  const windows = partsOf(job.window, job.cut === undefined ? origin.planned.cutsMs : again);
  const cut = { whole: beginning, parts: [] as Turn[] };
  for (const window of windows ?? [job.window])
    cut.parts.push(turnOf({ ...jobOf(window, origin), cut }));
  replace(line, turn, cut.parts);
}

/** Another part of the same window, whose read would tell whether the service looks at the window it is asked for. */
export function partToCompare(line: Line, { job: { cut, window } }: Turn): Turn | undefined {
  if (line.honoursRange || line.ignoresRange) return undefined;
  const other = cut?.parts.find(({ job }) => job.window.startMs !== window.startMs);
  const mayBegin = !line.isStopped && other !== undefined && line.turns.includes(other);
  return other?.landing !== undefined || mayBegin ? other : undefined;
}

/**
 * Notes what two parts tell: one that lands whole, or each beginning in its own time, and the service looks at the
 * window; both with the same page as the whole, and it does not. A page that is merely another proves nothing: to a
 * log that grows, newest first, each answer begins with another one.
 */
export function learn(line: Line, { job }: Turn, beginning: Beginning, landing: Landing): void {
  if (!("tooLong" in landing)) {
    line.honoursRange ||= job.mayBeCut;
    return;
  }
  const all = [job.cut!.whole, beginning, landing.tooLong];
  const [first] = all.map(({ firstPage }) => firstPage);
  line.honoursRange ||= beginning.isInside && landing.tooLong.isInside;
  line.ignoresRange ||= first !== undefined && all.every(({ firstPage }) => firstPage === first);
}

// The planned window as one turn, in the place of the part that showed the need of it; the rest goes.
function asOne(line: Line, turn: Turn, whole: () => Turn): void {
  const { origin } = turn.job;
  replace(line, turn, origin.isWhole ? [] : [whole()]);
  origin.isWhole = true;
  const others = line.turns.filter(({ job, landing }) => job.origin === origin && !landing);
  for (const other of others) replace(line, other, []);
}

const notOfItsTime =
  "more than one read may hold, and cutting it in time does not help: the service's pages are not of the time asked for; expected only records of that time; check sources.<name>.audits.window_params, or set it to null where the service takes no window";
const tooLongAlone =
  "one answer alone is longer than limits.max_page_bytes of the source, and cutting the window in time does not help; raise that, or have the service page: see sources.<name>.audits.paging";

function failedTurn({ job: { origin } }: Turn, why: string): Turn {
  const error = new AuditlakeError(why);
  const landing = Promise.reject(error);
  // It is reported where the read is handed out; until then it must not count as unhandled.
  landing.catch(() => undefined);
  return { ...turnOf(jobOf(origin.planned, { ...origin, isWhole: true })), landing };
}
