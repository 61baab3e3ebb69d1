import type { Landing } from "./read.ts";
import { jobOf, replace, turnOf, type Line, type Turn } from "./line.ts";
import { partsOf } from "./windows.ts";

type Begin = (line: Line, turn: Turn) => Promise<Landing>;

/**
 * Puts the parts of a window that was too long in its place, down to one second, which is read whole. With a
 * service that ignores the window asked for this would never come to an end, so its windows are read whole as
 * soon as that shows.
 */
export async function cutUp(
  line: Line,
  turn: Turn,
  firstPage: string | undefined,
  begin: Begin,
): Promise<void> {
  const { job } = turn;
  line.isIgnoring ||= !line.isHeeding && (await hasTwin(line, turn, firstPage, begin));
  if (line.isStopped) return replace(line, turn, [turnOf(job)]);
  if (line.isIgnoring) return readWhole(line, turn);
  const windows = partsOf(job.window, job.cut === undefined ? job.origin.planned.cutsMs : []);
  const cut = { firstPage, parts: [] as Turn[] };
  for (const window of windows ?? [job.window])
    cut.parts.push(turnOf({ ...jobOf(window, job.origin), cut }));
  replace(line, turn, cut.parts);
}

// Two parts that begin with the same page as the whole: the service does not look at the window asked for.
async function hasTwin(
  line: Line,
  { job: { cut, window } }: Turn,
  firstPage: string | undefined,
  begin: Begin,
): Promise<boolean> {
  if (cut === undefined || firstPage === undefined) return false;
  if (cut.firstPage !== firstPage) {
    line.isHeeding = true;
    return false;
  }
  const other = cut.parts.find(({ job }) => job.window.startMs !== window.startMs)!;
  if (line.isStopped && other.landing === undefined) return false;
  const landing = await begin(line, other).catch(() => undefined);
  if (landing === undefined) return false;
  const isTwin = "tooLong" in landing && landing.tooLong.firstPage === firstPage;
  line.isHeeding ||= !isTwin;
  return isTwin;
}

function readWhole(line: Line, turn: Turn): void {
  const { origin } = turn.job;
  const whole = turnOf(jobOf(origin.planned, { ...origin, isWhole: true }));
  replace(line, turn, origin.isWhole ? [] : [whole]);
  origin.isWhole = true;
  const others = line.turns.filter(({ job, landing }) => job.origin === origin && !landing);
  for (const other of others) replace(line, other, []);
}
