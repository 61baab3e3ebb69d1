import { AuditlakeError } from "../errors.ts";

/**
 * How far this machine's clock may be from the service's, milliseconds: less than the time between two nights, so
 * that the reads of the next one are the newest all the same, whichever way the clock was wrong.
 */
export const mostSkewMs = 6 * 3_600_000;

/** This machine's clock is too wrong to store anything by it: its reads would count as the newest, or never. */
export class ClockError extends AuditlakeError {
  override name = "ClockError";
}

/**
 * Throws ClockError where this machine's clock is too far from the service's. Where the service tells no time,
 * the clock may not be that far behind the newest read that is stored.
 */
export function checkClock(
  serverTimeMs: number | undefined,
  nowMs: number,
  newestReadMs: number | undefined,
): void {
  const aheadMs = nowMs - (serverTimeMs ?? newestReadMs ?? nowMs);
  const isWrong =
    serverTimeMs === undefined ? -aheadMs > mostSkewMs : Math.abs(aheadMs) > mostSkewMs;
  if (!isWrong) return;
  const whose = serverTimeMs === undefined ? "the newest read that is stored" : "the service's";
  const size = stretchText(Math.abs(aheadMs));
  throw new ClockError(
    `this machine's clock is ${size} ${aheadMs > 0 ? "ahead of" : "behind"} ${whose}, expected ${stretchText(mostSkewMs)} at most; set it (NTP) and run again; nothing was stored by it`,
  );
}

function stretchText(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
