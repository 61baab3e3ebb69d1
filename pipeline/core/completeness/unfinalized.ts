import { type NotFinal, notFinalCommand } from "../../base/notice/not-final.ts";
import { type Notice, warning } from "../../base/notice/notice.ts";
import type { Facts } from "../../base/sql/facts.ts";

/** Closed windows that are not final: those that only wait, and those that somebody should act on. */
export type Unfinalized = {
  readonly waiting: readonly Notice[];
  readonly stuck: readonly Notice[];
};

/**
 * One notice for each reason why closed windows of a source are not final. Of one that is not configured no run reads a
 * window again, whatever it is told.
 */
export function unfinalizedNotices(
  source: string,
  found: readonly Facts[],
  isConfigured = true,
): Unfinalized {
  const all = found.map((facts) => noticeOf(source, facts, isConfigured));
  const isWaiting = ({ facts }: Notice<"not_final">): boolean =>
    facts.is_scheduled && (facts.reason === "once" || facts.reason === "differs");
  return { waiting: all.filter(isWaiting), stuck: all.filter((one) => !isWaiting(one)) };
}

function noticeOf(source: string, row: Facts, isConfigured: boolean): Notice<"not_final"> {
  const facts: NotFinal = {
    source,
    reason: String(row["reason"]),
    windows: Number(row["windows"]),
    from: String(row["first_start"]),
    to: String(row["last_end"]),
    signs: String(row["signs"]),
    is_scheduled: row["is_scheduled"] === true,
    is_configured: isConfigured,
  };
  return warning("not_final", facts, notFinalCommand(facts));
}
