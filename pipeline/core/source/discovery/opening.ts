import type { SourceConfig } from "../../../../schemas/config.ts";
import { windowParameters } from "../audits.ts";
import type { Asker } from "./asking.ts";
import { sizeNames, windowPairs } from "./parameter-names.ts";
import { seenIn, type Seen } from "./seen.ts";
import type { Interval } from "../../../base/time/interval.ts";

export type Audits = SourceConfig["audits"];
export type Parameters = Readonly<Record<string, string>>;
export type WindowNames = NonNullable<Audits["window_params"]>;

/** The first answer with records in it, and what it took to get one. */
export type Opening = {
  readonly seen: Seen;
  /** Parameters that ask for the same page size again. */
  readonly sizes: Parameters;
  /** Whether the service refuses parameters that it does not know. */
  readonly isStrict: boolean;
  /** The form of the window without which it gives nothing, with the names of which one is right. */
  readonly needs:
    | { readonly form: WindowNames["form"]; readonly pairs: readonly Pair[] }
    | undefined;
};

export type Pair = readonly [from: string, to: string];

const dayMs = 86_400_000;

/** What openLog says where there is nothing to look at. */
export const noRecords = "the service shows no records";

/** Sizes that tell by the number of records which name the service takes. */
const firstSize = 24;

/** The names to try, those in force first. */
export function pairsOf({ window_params: inForce }: Audits): Pair[] {
  if (inForce === null) return [...windowPairs];
  const own: Pair = [inForce.from, inForce.to];
  return [own, ...windowPairs.filter((pair) => pair.join() !== own.join())];
}

/** Whether a name of an edge may be that of a position, too, with which a moment is a mistake. */
export function isRisky([from]: Pair): boolean {
  return /^(after|start|since)$/.test(from);
}

/** The forms to try, the one in force first. */
export function formsOf({ window_params: inForce }: Audits): WindowNames["form"][] {
  const all = ["epoch_seconds", "iso8601"] as const;
  return inForce?.form === "iso8601" ? all.toReversed() : [...all];
}

/** The names to try for the size of a page, the one in force first. */
export function sizesOf({ paging: { size_param: inForce } }: Audits): string[] {
  return [...new Set([...(inForce === null ? [] : [inForce]), ...sizeNames])];
}

/** The name that the number of records speaks for, undefined where it speaks for none. */
export function sizeShown(audits: Audits, records: number): string | undefined {
  return sizesOf(audits)[records - firstSize];
}

/** A window under the names of several pairs at once. */
export function windowUnder(
  audits: Audits,
  pairs: readonly Pair[],
  form: WindowNames["form"],
  window: Interval,
): Record<string, string> {
  const parameters = pairs.map(([from, to]) =>
    windowParameters({ ...audits, window_params: { from, to, form } }, window),
  );
  return Object.assign({}, ...parameters) as Record<string, string>;
}

/** Looks for an answer with records in it; a text says why there is none. */
export async function openLog(
  asker: Asker,
  audits: Audits,
  nowMs: number,
): Promise<Opening | string> {
  const sizes = Object.fromEntries(sizesOf(audits).map((name, i) => [name, String(firstSize + i)]));
  const ask = async (parameters: Parameters): Promise<Seen | "refused" | "unreadable"> => {
    const answer = await asker.ask(audits.path, parameters);
    return answer === undefined ? "refused" : (seenIn(answer) ?? "unreadable");
  };
  const sized = await ask(sizes);
  if (isFull(sized)) return { seen: sized, sizes, isStrict: false, needs: undefined };
  const bare = sized === "refused" ? await ask({}) : sized;
  if (isFull(bare)) return { seen: bare, sizes: {}, isStrict: true, needs: undefined };
  if (bare === "unreadable") return "the answers are no pages of records";
  for (const attempt of windowed(audits, bare === "refused", sizes, nowMs)) {
    const seen = await ask(attempt.parameters);
    if (isFull(seen)) return { seen, ...attempt };
  }
  return bare === "refused" ? "the service refuses every request that was tried" : noRecords;
}

function isFull(seen: Seen | "refused" | "unreadable"): seen is Seen {
  return typeof seen === "object" && seen.records.length > 0;
}

type Attempt = Pick<Opening, "sizes" | "isStrict" | "needs"> & { readonly parameters: Parameters };

// Some services give nothing without a window: all names at once, then each by itself.
function* windowed(
  audits: Audits,
  mayBeStrict: boolean,
  sizes: Parameters,
  nowMs: number,
): Generator<Attempt> {
  const pairs = pairsOf(audits);
  const endMs = Math.floor(nowMs / 1000) * 1000;
  const window = { startMs: endMs - dayMs, endMs };
  for (const some of [pairs, pairs.filter((pair) => !isRisky(pair))])
    for (const form of formsOf(audits)) {
      const parameters = { ...windowUnder(audits, some, form, window), ...sizes };
      yield { parameters, sizes, isStrict: false, needs: { form, pairs: some } };
    }
  if (!mayBeStrict) return;
  for (const form of formsOf(audits))
    for (const pair of pairs.slice(0, 4)) {
      const parameters = windowUnder(audits, [pair], form, window);
      yield { parameters, sizes: {}, isStrict: true, needs: { form, pairs: [pair] } };
    }
}
