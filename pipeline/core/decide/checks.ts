import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import { parseMomentMs } from "../../base/time/times.ts";

/** Longest reason or note, in characters. */
export const longestReason = 1000;
/** Latest end of a suppression, in days from now. */
export const longestSuppressionDays = 366;
const dayMs = 86_400_000;

/** Checks a reason or note and makes its control characters visible. Throws UsageError for an empty or too long one. */
export function checkReason(text: string): string {
  if (text.trim() === "" || text.length > longestReason)
    throw new UsageError(`expected a reason of 1 to ${longestReason} characters`);
  return escapeControls(text);
}

/** Checks the values that a suppression covers. Throws UsageError for a column that is not in the key. */
export function checkConditions(
  detection: string,
  key: readonly string[],
  pairs: readonly (readonly [column: string, value: string])[],
): Record<string, string> {
  const conditions = new Map<string, string>();
  for (const [column, value] of pairs) {
    if (!key.includes(column) || value === "")
      throw new UsageError(
        `${JSON.stringify(`${column}=${value}`)}: expected COLUMN=VALUE with a key column of ${detection}: ${key.join(", ")}`,
      );
    if (conditions.has(column)) throw new UsageError(`${column} is given twice`);
    conditions.set(column, value);
  }
  if (conditions.size === 0) throw new UsageError("a suppression needs at least one key column");
  return Object.fromEntries(conditions);
}

/** Parses the end of a suppression; a duration counts from now. Throws UsageError for a time that is past or too late. */
export function parseSuppressionEnd(text: string, nowMs: number): number {
  const aheadMs = parseDuration(text);
  const untilMs = aheadMs === undefined ? parseMomentMs(text, "UTC", nowMs) : nowMs + aheadMs;
  if (untilMs <= nowMs || untilMs > nowMs + longestSuppressionDays * dayMs)
    throw new UsageError(
      `${text}: expected a time in the future, such as 30d or 2027-01-31, at most ${longestSuppressionDays} days ahead`,
    );
  return untilMs;
}
