import type { Fact } from "./record.ts";

/** Whether a right is in force: `open` if the records of a second do not decide it. */
export type Verdict = "held" | "free" | "open";

/** What one record of a second says of one right; `found` is undefined where that cannot be read. */
export type Say = {
  readonly fact: Fact;
  readonly found: boolean | undefined;
  readonly left: boolean;
  /** The whole sets before and after, as texts that compare, and whether they hold the right. */
  readonly before: string;
  readonly after: string;
};

/** A second of a series: what its records say of the right, and whether a deletion ends the series there. */
export type Second = { readonly says: readonly Say[]; readonly isEnd: boolean };

export type KnownVerdict = {
  readonly verdict: Verdict;
  readonly isSure: boolean;
  /** Newer places and chains are worth more than older ones. */
  readonly isByPlace: boolean;
};

/** What is known besides: whether the right can be given twice, and what limits the time before. */
export type Setting = {
  readonly isRepeatable: boolean;
  /** No user can have had it before the first second. */
  readonly isNewHolder: boolean;
  readonly isMadeInFirst: boolean;
  /** The place of a record among all, by time; undefined where the records do not run one way. */
  readonly placeOf: ((fact: Fact) => number) | undefined;
};

const sure = (is: boolean): KnownVerdict => ({
  verdict: is ? "held" : "free",
  isSure: true,
  isByPlace: false,
});
const open: KnownVerdict = { verdict: "open", isSure: false, isByPlace: false };

/** The verdict before the first second and after each. */
export function listVerdicts(seconds: readonly Second[], setting: Setting): KnownVerdict[] {
  const verdicts = [beforeFirst(seconds[0]!, setting)];
  // What the records of the first second state about the time before is not independent evidence.
  let known = setting.isNewHolder ? sure(false) : open;
  for (const second of seconds) {
    known = afterSecond(second, known, setting);
    verdicts.push(known);
  }
  return verdicts;
}

function afterSecond({ says, isEnd }: Second, known: KnownVerdict, setting: Setting): KnownVerdict {
  if (isEnd || says.every(({ left }) => !left)) return sure(false);
  if (says.every(({ left }) => left)) return sure(true);
  const last = inOrder(says, setting)?.at(-1)?.left;
  const gain = getGain(says);
  if (setting.isRepeatable && gain < 0) return sure(false);
  if (setting.isRepeatable && gain > 0) return { ...sure(true), isSure: last === true };
  if (!areRead(says)) return byPlace(last, open);
  if (Math.abs(gain) === 1) return sure(gain === 1);
  if (gain !== 0) return byPlace(last, open);
  const chain = setting.isRepeatable ? undefined : buildChain(says);
  if (chain !== undefined) return sure(chain.last);
  if (known.verdict === "open" || known.isByPlace) return byPlace(last, known);
  if (!setting.isRepeatable || known.verdict === "free") return sure(known.verdict === "held");
  return { ...known, isSure: last === true };
}

function beforeFirst({ says }: Second, setting: Setting): KnownVerdict {
  if (setting.isMadeInFirst || says.every(({ found }) => found !== true)) return sure(false);
  if (says.every(({ found }) => found === true)) return sure(true);
  const first = inOrder(says, setting)?.[0];
  const place = first && first.found === true;
  const gain = getGain(says);
  if (setting.isRepeatable && gain === 0 && setting.isNewHolder) return sure(false);
  if (setting.isRepeatable && gain < 0) return sure(true);
  if (setting.isRepeatable && gain > 0) return byPlace(place ?? false, open);
  if (areRead(says) && Math.abs(gain) === 1) return sure(gain === -1);
  const isChain = areRead(says) && gain === 0 && !setting.isRepeatable;
  return byPlace((isChain ? buildChain(says)?.first : undefined) ?? place, open);
}

const byPlace = (is: boolean | undefined, otherwise: KnownVerdict): KnownVerdict =>
  is === undefined ? otherwise : { ...sure(is), isByPlace: true };

const areRead = (says: readonly Say[]): boolean => says.every(({ found }) => found !== undefined);

const getGain = (says: readonly Say[]): number =>
  says.filter(({ left }) => left).length - says.filter(({ found }) => found === true).length;

function inOrder(says: readonly Say[], { placeOf }: Setting): readonly Say[] | undefined {
  return placeOf && says.toSorted((a, b) => placeOf(a.fact) - placeOf(b.fact));
}

// The two ends of a walk that takes every record once from the set it found to the set it left.
function buildChain(says: readonly Say[]): { first: boolean; last: boolean } | undefined {
  const open = new Map<string, number>();
  for (const { before, after } of says) {
    open.set(before, (open.get(before) ?? 0) + 1);
    open.set(after, (open.get(after) ?? 0) - 1);
  }
  const ends = [...open].filter(([, balance]) => balance !== 0);
  const start = ends.find(([, balance]) => balance === 1)?.[0];
  const end = ends.find(([, balance]) => balance === -1)?.[0];
  if (ends.length !== 2 || start === undefined || end === undefined) return undefined;
  return {
    first: says.find(({ before }) => before === start)!.found!,
    last: says.find(({ after }) => after === end)!.left,
  };
}
