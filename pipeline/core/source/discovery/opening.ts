import type { SourceConfig } from "../../../../schemas/config.ts";
import { buildWindowParameters } from "../audits.ts";
import { type Asker, type AskGroups, findAtOnce, findOne, type Outcome } from "./asker.ts";
import { sizeNames, windowPairs } from "./parameter-names.ts";
import { listIntervals, type SeenAnswer, readSeen, selectWithin } from "./read-answer.ts";
import type { Interval } from "../../../base/time/periods.ts";

export type Audits = SourceConfig["audits"];
export type Parameters = Readonly<Record<string, string>>;
export type WindowNames = NonNullable<Audits["window_params"]>;

/** The first answer with records in it, and what it took to get one. */
export type Opening = {
  readonly seen: SeenAnswer;
  /** Parameters that ask for the same page size again. */
  readonly sizes: Parameters;
  /** Whether the service refuses parameters that it does not know. */
  readonly isStrict: boolean;
  /** The required form of the window, with candidate names. */
  readonly needs:
    | { readonly form: WindowNames["form"]; readonly pairs: readonly Pair[] }
    | undefined;
};

export type Pair = readonly [from: string, to: string];

const dayMs = 86_400_000;

/** Result of openLog for an empty log. */
export const noRecords = "the service returned no records";

/** Sizes that show by the number of records which name the service accepts. */
const firstSize = 24;

/** The names to try, those in force first. */
export function listPairs({ window_params: inForce }: Audits): Pair[] {
  if (inForce === null) return [...windowPairs];
  const own: Pair = [inForce.from, inForce.to];
  return [own, ...windowPairs.filter((pair) => pair.join() !== own.join())];
}

/** Whether a name of an edge may be that of a position, too, with which a moment is a mistake. */
export function isRisky([from]: Pair): boolean {
  return /^(after|start|since)$/.test(from);
}

/** The forms to try, the one in force first. */
export function listForms({ window_params: inForce }: Audits): WindowNames["form"][] {
  const all = ["epoch_seconds", "iso8601"] as const;
  return inForce?.form === "iso8601" ? all.toReversed() : [...all];
}

/** The names to try for the size of a page, the one in force first. */
export function listSizeParameters({ paging: { size_param: inForce } }: Audits): string[] {
  return [...new Set([...(inForce === null ? [] : [inForce]), ...sizeNames])];
}

/** The name that the number of records speaks for, undefined where it speaks for none. */
export function findShownSize(audits: Audits, records: number): string | undefined {
  return listSizeParameters(audits)[records - firstSize];
}

/** A window under the names of several pairs at once. */
export function buildParametersFor(
  audits: Audits,
  pairs: readonly Pair[],
  form: WindowNames["form"],
  window: Interval,
): Record<string, string> {
  const parameters = pairs.map(([from, to]) =>
    buildWindowParameters({ ...audits, window_params: { from, to, form } }, window),
  );
  return Object.assign({}, ...parameters) as Record<string, string>;
}

/** Finds an answer with records; a text explains why none exists. */
export async function openLog(
  asker: Asker,
  audits: Audits,
  nowMs: number,
): Promise<Opening | string> {
  const sizes = Object.fromEntries(
    listSizeParameters(audits).map((name, i) => [name, String(firstSize + i)]),
  );
  const ask = async (parameters: Parameters): Promise<SeenAnswer | "refused" | "unreadable"> => {
    const answer = await asker.ask(audits.path, parameters);
    return answer === undefined ? "refused" : (readSeen(answer) ?? "unreadable");
  };
  const sized = await ask(sizes);
  if (isFull(sized)) return { seen: sized, sizes, isStrict: false, needs: undefined };
  const bare = sized === "refused" ? await ask({}) : sized;
  if (isFull(bare)) return { seen: bare, sizes: {}, isStrict: true, needs: undefined };
  if (bare === "unreadable") return "the responses are not pages of records";
  for (const attempt of listWindowedAttempts(audits, bare === "refused", sizes, nowMs)) {
    const seen = await ask(attempt.parameters);
    if (isFull(seen)) return { seen, ...attempt };
  }
  return bare === "refused" ? "the service refused every request" : noRecords;
}

function isFull(seen: SeenAnswer | "refused" | "unreadable"): seen is SeenAnswer {
  return typeof seen === "object" && seen.records.length > 0;
}

type Attempt = Pick<Opening, "sizes" | "isStrict" | "needs"> & { readonly parameters: Parameters };

// Some services give nothing without a window: all names at once, then each by itself.
function* listWindowedAttempts(
  audits: Audits,
  mayBeStrict: boolean,
  sizes: Parameters,
  nowMs: number,
): Generator<Attempt> {
  const pairs = listPairs(audits);
  const endMs = Math.floor(nowMs / 1000) * 1000;
  const window = { startMs: endMs - dayMs, endMs };
  for (const some of [pairs, pairs.filter((pair) => !isRisky(pair))])
    for (const form of listForms(audits)) {
      const parameters = { ...buildParametersFor(audits, some, form, window), ...sizes };
      yield { parameters, sizes, isStrict: false, needs: { form, pairs: some } };
    }
  if (!mayBeStrict) return;
  for (const form of listForms(audits))
    for (const pair of pairs.slice(0, 4)) {
      const parameters = buildParametersFor(audits, [pair], form, window);
      yield { parameters, sizes: {}, isStrict: true, needs: { form, pairs: [pair] } };
    }
}

const mostSlots = 8;
const mostAlone = 4;

/**
 * Finds the names and form in which the service accepts a window: the answer for a smaller window has exactly its
 * records. Null if the service ignores all known names, "unclear" if the answers show neither.
 */
export async function findWindow(
  asker: Asker,
  audits: Audits,
  opening: Opening,
): Promise<WindowNames | null | "unclear"> {
  const { seen, isStrict, needs } = opening;
  const intervals = listIntervals(seen.records, isStrict ? 1 : mostSlots);
  if (intervals.length === 0) return "unclear";
  const pairs = needs?.pairs ?? listPairs(audits);
  let forms = needs === undefined ? listForms(audits) : [needs.form];
  for (const attempt of isStrict ? listStrictSearches(pairs) : listSearches(pairs)) {
    const open: WindowNames["form"][] = [];
    for (const form of forms) {
      const ask = newGroupAsker(asker, audits, opening, form, intervals);
      const found = await attempt(intervals.length, ask);
      if (found === "unclear") open.push(form);
      else if (found !== undefined) return { from: found[0], to: found[1], form };
    }
    forms = open;
  }
  return forms.length === 0 ? null : "unclear";
}

type Search = (slots: number, ask: AskGroups<Pair>) => Promise<Pair | "unclear" | undefined>;

// Some names of edges are those of positions, too, with which a moment is a mistake: they are tried last.
function listSearches(pairs: readonly Pair[]): Search[] {
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

// A service that rejects unknown parameters has used up the requests for more searches.
function listStrictSearches(pairs: readonly Pair[]): Search[] {
  return [
    (_slots, ask) =>
      findOne(pairs.slice(0, mostAlone), 1, true, ask).then((found) => found ?? "unclear"),
  ];
}

function newGroupAsker(
  asker: Asker,
  audits: Audits,
  { seen, sizes, needs }: Opening,
  form: WindowNames["form"],
  intervals: readonly Interval[],
): AskGroups<Pair> {
  return async (groups) => {
    const windows = groups.map((pairs, i) =>
      buildParametersFor(audits, pairs, form, intervals[i]!),
    );
    const parameters = windows.reduce((all, window) => ({ ...all, ...window }), sizes);
    const answer = await asker.ask(audits.path, parameters);
    // Without its window such a service refuses everything.
    if (answer === undefined) return needs === undefined ? "unclear" : "ignored";
    return judgeAnswer(readSeen(answer, seen.recordsAt), seen, intervals.slice(0, groups.length));
  };
}

function judgeAnswer(
  answer: SeenAnswer | undefined,
  first: SeenAnswer,
  intervals: readonly Interval[],
): Outcome {
  if (answer === undefined || answer.records.length === 0) return "unclear";
  const texts = new Set(answer.records.map(({ text }) => text));
  const found = intervals.findIndex(({ startMs, endMs }) => {
    const isInside = answer.records.every(
      ({ ms }) => ms !== undefined && ms >= startMs && ms <= endMs,
    );
    // Whether the edges belong to it is for the reading of several pages to show.
    const known = selectWithin(first.records, { startMs: startMs + 1000, endMs });
    return isInside && known.every(({ text }) => texts.has(text));
  });
  if (found >= 0) return found;
  const again = first.records.filter(({ text }) => texts.has(text)).length;
  return again >= first.records.length * 0.8 ? "ignored" : "unclear";
}
