import { type Notice, warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError } from "../../base/errors.ts";

/**
 * How far this machine's clock may be from the service's, milliseconds: a day mistaken, and some hours. A smaller error
 * costs a run or two, until the newest read is the newest again. A larger one would cost as long as the clock is off.
 */
export const mostSkewMs = 30 * 3_600_000;

/** This machine's clock is too wrong to store anything by it: its reads would count as the newest, or never. */
export class ClockError extends AuditlakeError {
  override name = "ClockError";
}

/** Checks the time of the service, undefined if it has none. */
export type ClockCheck = (serverTimeMs: number | undefined) => void;

/**
 * Creates a check of this machine's clock against the service's. If the service has no time, the clock may not be far
 * behind the newest stored read. It throws ClockError, or if the range of the run was given by hand, and not by the
 * clock, warns once.
 */
export function newClockCheck(
  isScheduledRun: boolean,
  newestReadMs: number | undefined,
  now: () => number,
  warn: (notice: Notice) => void,
): ClockCheck {
  let isWarned = false;
  return (serverTimeMs) => {
    const fault = describeFault(serverTimeMs, now(), newestReadMs);
    if (fault === undefined || isWarned) return;
    if (isScheduledRun)
      throw new ClockError(
        `${fault}; set it (NTP) and run again; nothing was stored${serverTimeMs === undefined ? formatAdvice() : ""}`,
      );
    isWarned = true;
    warn(warning("clock_wrong", { why: fault }));
  };
}

// Without the service's time, nothing shows which of the two clocks was wrong.
const formatAdvice = (): string =>
  `; if it is right, run ${formatCommand("ingest", "--from", "2d")}: that moves aside reads with a later date`;

function describeFault(
  serverTimeMs: number | undefined,
  nowMs: number,
  newestReadMs: number | undefined,
): string | undefined {
  const aheadMs = nowMs - (serverTimeMs ?? newestReadMs ?? nowMs);
  const isWrong =
    serverTimeMs === undefined ? -aheadMs > mostSkewMs : Math.abs(aheadMs) > mostSkewMs;
  if (!isWrong) return undefined;
  const whose = serverTimeMs === undefined ? "the newest stored read" : "the service's";
  const size = formatDuration(Math.abs(aheadMs));
  return `this machine's clock is ${size} ${aheadMs > 0 ? "ahead of" : "behind"} ${whose}, expected ${formatDuration(mostSkewMs)} at most`;
}

function formatDuration(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** When the service handled a request, by its own clock: at `fromMs` or later, and before `untilMs`. */
export type ServiceMoment = {
  readonly fromMs: number;
  /** The `Date` of the answer. */
  readonly dateMs: number;
  readonly untilMs: number;
};

const secondMs = 1000;

/**
 * Returns the interval in which the service handled a request: from the `Date` of its answer minus the duration of the
 * request to `Date` plus a second, since `Date` has whole seconds. Undefined where the answer has no `Date`. The log has
 * whole seconds too, so the interval starts with one.
 */
export function boundServiceMoment(
  serverTimeMs: number | undefined,
  durationMs: number,
): ServiceMoment | undefined {
  if (serverTimeMs === undefined) return undefined;
  const earliestMs = serverTimeMs - Math.max(durationMs, 0);
  return {
    fromMs: Math.floor(earliestMs / secondMs) * secondMs,
    dateMs: serverTimeMs,
    untilMs: serverTimeMs + secondMs,
  };
}
