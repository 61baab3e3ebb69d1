import type { Asker } from "./asking.ts";
import { findAtOnce, findOne, type AskGroups, type Outcome } from "./narrowing.ts";
import {
  formsOf,
  isRisky,
  pairsOf,
  windowUnder,
  type Audits,
  type Opening,
  type Pair,
  type WindowNames,
} from "./opening.ts";
import { seenIn, type Seen } from "./seen.ts";
import { intervalsOf, within } from "./intervals.ts";
import type { Interval } from "../../../base/time/interval.ts";

const mostSlots = 8;
const mostAlone = 4;

/**
 * The names and form in which the service takes a window. It answers to a window inside of what it has shown with what
 * lies in there alone. Null where it passes over all that are known, "unclear" where its answers show neither.
 */
export async function findWindow(
  asker: Asker,
  audits: Audits,
  opening: Opening,
): Promise<WindowNames | null | "unclear"> {
  const { seen, isStrict, needs } = opening;
  const intervals = intervalsOf(seen.records, isStrict ? 1 : mostSlots);
  if (intervals.length === 0) return "unclear";
  const pairs = needs?.pairs ?? pairsOf(audits);
  let forms = needs === undefined ? formsOf(audits) : [needs.form];
  for (const attempt of isStrict ? strictly(pairs) : attemptsOf(pairs)) {
    const open: WindowNames["form"][] = [];
    for (const form of forms) {
      const ask = asking(asker, audits, opening, form, intervals);
      const found = await attempt(intervals.length, ask);
      if (found === "unclear") open.push(form);
      else if (found !== undefined) return { from: found[0], to: found[1], form };
    }
    forms = open;
  }
  return forms.length === 0 ? null : "unclear";
}

type Attempt = (slots: number, ask: AskGroups<Pair>) => Promise<Pair | "unclear" | undefined>;

// Some names of edges are those of positions, too, with which a moment is a mistake: they are tried last.
function attemptsOf(pairs: readonly Pair[]): Attempt[] {
  return [
    (slots, ask) => findAtOnce(pairs, slots, ask),
    (slots, ask) =>
      findAtOnce(
        pairs.filter((pair) => !isRisky(pair)),
        slots,
        ask,
      ).then((found) => found ?? "unclear"),
    (slots, ask) =>
      findOne(pairs.filter(isRisky), slots, false, ask).then((found) => found ?? "unclear"),
  ];
}

// One that refuses what it does not know leaves no requests for more.
function strictly(pairs: readonly Pair[]): Attempt[] {
  return [
    (_slots, ask) =>
      findOne(pairs.slice(0, mostAlone), 1, true, ask).then((found) => found ?? "unclear"),
  ];
}

function asking(
  asker: Asker,
  audits: Audits,
  { seen, sizes, needs }: Opening,
  form: WindowNames["form"],
  intervals: readonly Interval[],
): AskGroups<Pair> {
  return async (groups) => {
    const windows = groups.map((pairs, i) => windowUnder(audits, pairs, form, intervals[i]!));
    const parameters = windows.reduce((all, window) => ({ ...all, ...window }), sizes);
    const answer = await asker.ask(audits.path, parameters);
    // Without its window such a service refuses everything.
    if (answer === undefined) return needs === undefined ? "unclear" : "ignored";
    return shownBy(seenIn(answer, seen.recordsAt), seen, intervals.slice(0, groups.length));
  };
}

function shownBy(answer: Seen | undefined, first: Seen, intervals: readonly Interval[]): Outcome {
  if (answer === undefined || answer.records.length === 0) return "unclear";
  const texts = new Set(answer.records.map(({ text }) => text));
  const found = intervals.findIndex(({ startMs, endMs }) => {
    const isInside = answer.records.every(
      ({ ms }) => ms !== undefined && ms >= startMs && ms <= endMs,
    );
    // Whether the edges belong to it is for the reading of several pages to show.
    const known = within(first.records, { startMs: startMs + 1000, endMs });
    return isInside && known.every(({ text }) => texts.has(text));
  });
  if (found >= 0) return found;
  const again = first.records.filter(({ text }) => texts.has(text)).length;
  return again >= first.records.length * 0.8 ? "ignored" : "unclear";
}
