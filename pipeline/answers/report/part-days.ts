import type { Reach } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import type { Report } from "./find.ts";
import { rangeLines } from "./params.ts";
import type { About } from "./result.ts";
import { momentOf } from "./values.ts";

const dayMs = 86_400_000;

/** What an answer is about, for the formats that show it: its chart leaves out days that are known in part. */
export function describeAnswer(
  { title, grain, chart }: Report,
  values: Question["values"],
  nowMs: number,
  reach?: Reach,
): About {
  const isPartDay = partDays(values, nowMs, reach);
  return { title, chart, facts: [grain, ...rangeLines(values)], isPartDay };
}

/**
 * Whether a day of a result, written as `2026-01-31`, is known in part only: the range, the log or a stretch that was not
 * read begins or ends within it, or it still runs. Drawn, it would look like a drop.
 */
function partDays(
  { since, until }: Question["values"],
  nowMs: number,
  reach: Reach | undefined,
): (x: string) => boolean {
  const edges = [
    since && momentOf(since),
    until && momentOf(until),
    nowMs,
    reach?.upToMs,
    ...(reach?.unread ?? []).flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
  ].filter((edge) => typeof edge === "number");
  const days = new Set(edges.filter((ms) => ms % dayMs !== 0).map((ms) => Math.floor(ms / dayMs)));
  return (x) => /^\d{4}-\d{2}-\d{2}$/.test(x) && days.has(Date.parse(x) / dayMs);
}
