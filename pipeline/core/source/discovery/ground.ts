import { buildWindowParameters } from "../audits.ts";
import { type Asker, findOne, type Outcome } from "./asker.ts";
import {
  listSizeParameters,
  findShownSize,
  type Audits,
  type Opening,
  type Parameters,
} from "./opening.ts";
import {
  listIntervals,
  detectOrder,
  type SeenAnswer,
  readSeen,
  type SeenRecord,
  selectWithin,
} from "./read-answer.ts";
import type { Interval } from "../../../base/time/periods.ts";

/** What paging is tried on: a window whose records are known, and the first of its small pages. */
export type Ground = {
  /** The configuration known so far: window and path of the records. */
  readonly audits: Audits;
  readonly window: Interval;
  /** Records of the window that were seen, in the order of the service. */
  readonly reference: readonly SeenRecord[];
  /** Whether these are all records of the window. */
  readonly isWhole: boolean;
  readonly sizeParam: string | null;
  /** Records on a small page. */
  readonly size: number;
  readonly first: SeenAnswer;
  readonly isStrict: boolean;
};

/** Requests the first page of a window, optionally with further parameters. */
export async function askFor(
  asker: Asker,
  audits: Audits,
  window: Interval,
  more: Parameters,
): Promise<SeenAnswer | undefined> {
  const answer = await asker.ask(audits.path, {
    ...buildWindowParameters(audits, window),
    ...more,
  });
  return answer && readSeen(answer, audits.records_at);
}

/** Whether a parameter means the window or the size already. */
export function isTaken(
  { audits: { window_params: window }, sizeParam }: Ground,
  name: string,
): boolean {
  return [window?.from, window?.to, sizeParam].includes(name);
}

/** The ground to try paging on; undefined where the service has shown too little. */
export async function findGround(
  asker: Asker,
  audits: Audits,
  { seen, isStrict }: Opening,
  nowMs: number,
): Promise<Ground | undefined> {
  const isWindowed = audits.window_params !== null;
  const [inner] = listIntervals(seen.records, 1);
  if (isWindowed && inner === undefined) return undefined;
  const window = inner ?? { startMs: 0, endMs: nowMs };
  const reference = isWindowed ? selectWithin(seen.records, window) : seen.records;
  const isWhole = isWindowed && detectOrder(seen.records) !== undefined;
  if (reference.length < 4) return undefined;
  const common = { audits, isStrict, window, reference, isWhole };
  const size = chooseSize(reference.length);
  for await (const sizeParam of findSizeParameters(asker, common, seen.records.length)) {
    const first = await askFor(asker, audits, window, { [sizeParam]: String(size) });
    if (first?.records.length === size) return { ...common, sizeParam, size, first };
  }
  return findGroundWithoutSize(asker, common, seen, nowMs);
}

// Four pages or so, the last of them not full.
function chooseSize(records: number): number {
  return records < 6 ? 1 : Math.min(10, Math.ceil((records + 1) / 4));
}

type Common = Pick<Ground, "audits" | "window" | "reference" | "isWhole" | "isStrict">;

async function* findSizeParameters(
  asker: Asker,
  { audits, window, reference, isStrict }: Common,
  shown: number,
): AsyncGenerator<string> {
  const named = findShownSize(audits, shown);
  if (named !== undefined) yield named;
  const smallest = Math.min(2, chooseSize(reference.length));
  const ask = async (groups: readonly (readonly string[])[]): Promise<Outcome> => {
    const sizes = groups.flatMap((names, i) => names.map((name) => [name, String(smallest + i)]));
    const page = await askFor(asker, audits, window, Object.fromEntries(sizes) as Parameters);
    const found = (page?.records.length ?? 0) - smallest;
    if (found >= 0 && found < groups.length) return found;
    return page !== undefined && page.records.length >= reference.length * 0.8
      ? "ignored"
      : "unclear";
  };
  const slots = Math.min(8, reference.length - smallest - 1);
  const names = listSizeParameters(audits).slice(0, isStrict ? 4 : undefined);
  const found = await findOne(names, slots, isStrict, ask);
  if (found !== undefined) yield found;
}

// Where no name makes pages small, the window is made long enough for some whole ones.
async function findGroundWithoutSize(
  asker: Asker,
  common: Common,
  { records }: SeenAnswer,
  nowMs: number,
): Promise<Ground | undefined> {
  const { audits } = common;
  const page = { sizeParam: null, size: records.length };
  if (audits.window_params === null) {
    const first = await askFor(asker, audits, common.window, {});
    return first && { ...common, ...page, size: first.records.length, first };
  }
  const window = extendWindow(common.window, records, nowMs);
  const first = await askFor(asker, audits, window, {});
  if (first === undefined || first.records.length === 0) return undefined;
  const size = first.records.length;
  return { ...common, window, isWhole: false, reference: first.records, ...page, size, first };
}

function extendWindow(
  { startMs, endMs }: Interval,
  records: readonly SeenRecord[],
  nowMs: number,
): Interval {
  const moreMs = Math.ceil(((endMs - startMs) * 1.6) / 1000) * 1000;
  const order = detectOrder(records);
  return {
    startMs: order === "rising" ? startMs : startMs - moreMs,
    endMs: order === "falling" ? endMs : Math.min(endMs + moreMs, Math.max(endMs, nowMs)),
  };
}
