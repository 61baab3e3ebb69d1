import type { Job } from "./job.ts";
import { nextRuns } from "./rule.ts";
import { isoText } from "../../base/time/text.ts";

// Nobody counts further, and a clock that was wrong by years must not keep a job waiting.
const maxCounted = 1000;
const countedAtOnce = 20;

/** Moments after one and before another at which a job was to run, the oldest thousand; epoch milliseconds. */
export function runsBetween({ rule, timezone }: Job, afterMs: number, beforeMs: number): number[] {
  const found: number[] = [];
  for (let atMs = afterMs; found.length < maxCounted; atMs = found.at(-1)!) {
    const next = nextRuns(rule, timezone, atMs, countedAtOnce);
    found.push(...next.filter((ms) => ms < beforeMs));
    if (next.length < countedAtOnce || next.at(-1)! >= beforeMs) break;
  }
  return found;
}

/** Says in one line that runs did not take place; undefined where there are none. */
export function missedText({ name }: Job, missed: readonly number[]): string | undefined {
  const [first, last] = [missed[0], missed.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (missed.length === 1) return `${name}: the run due ${isoText(first)} did not take place`;
  const count = missed.length < maxCounted ? `${missed.length}` : `${maxCounted} or more`;
  const until = missed.length < maxCounted ? `to ${isoText(last)}` : "and later";
  return `${name}: ${count} runs did not take place, due ${isoText(first)} ${until}`;
}
