import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp } from "../../base/time/text.ts";
import { type ReadEnd, isClosed, type Manifest } from "../landing/manifests.ts";
import type { ReadNote, WindowState } from "../store/ledger/record.ts";
import type {
  StoredContent,
  ReadFacts,
  ReadResult,
  ReadContent,
} from "../store/loading/read-facts.ts";
import { countArrivedSince, type Previous, findPrevious } from "../store/ledger/previous.ts";
import { type Traits, readTraits } from "../store/ledger/coverage.ts";

/** Why a closed window is not final by its newest read. */
export type Reason =
  | "once"
  | "signs"
  | "differs"
  | "lacking"
  | "no_evidence"
  | "forgotten"
  | "beyond_retention"
  | "earlier_version";

/** What a read is worth, seen together with those before it, before its rows are compared with the store's. */
export type Verdict = {
  readonly previous: Previous;
  /** Whether it holds just what the read before it held, records in quarantine too, and nothing speaks against either. */
  readonly agrees: boolean;
  /**
   * Whether it repeats the newest read, even if the service has deleted data since: equal records have the same
   * multiplicity.
   */
  readonly repeats: boolean;
  /** Whether events of an earlier read are missing that the service should still have. */
  readonly isIncomplete: boolean;
  readonly evidence: readonly (Evidence | "earlier_version")[];
  readonly signs: readonly string[];
  /** Why it shows nothing about its window; undefined if it does. */
  readonly neutral: "forgotten" | "beyond_retention" | undefined;
};

/** Compares a read with those before it (docs/trust.md, "Complete only on evidence"). */
export async function judgeRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  held: ReadContent,
): Promise<Verdict> {
  const previous = await findPrevious(connection, read);
  const { compared, newest } = previous;
  const ended = manifest.ended ?? undefined;
  const signs = [...listSignsAgainst(ended), ...listRecordSigns(held, ended)].sort();
  const neutral = decideNeutral(read, ended, held.isForgotten);
  const isIncomplete = held.isIncomplete && neutral === undefined;
  const isComplete = signs.length === 0;
  const agrees =
    isComplete && neutral === undefined && compared?.isComplete === true && isEqual(compared, held);
  const repeats = agrees || (isComplete && newest !== undefined && isEqual(newest, held));
  const evidence = agrees ? await listShownEvidence(connection, read, ended, compared.parts) : [];
  return { previous, agrees, repeats, isIncomplete, evidence, signs, neutral };
}

function isEqual(a: StoredContent, b: StoredContent): boolean {
  return a.digest === b.digest && a.quarantined === b.quarantined;
}

async function listShownEvidence(
  connection: DuckDBConnection,
  read: ReadFacts,
  ended: ReadEnd | undefined,
  partsBefore: number,
): Promise<Verdict["evidence"]> {
  if (ended === undefined) return ["earlier_version"];
  const parts = countParts(ended);
  // If only one of two agreeing reads was requested in two parts, the parts confirm the end: a truncated answer has
  // fewer records than its parts.
  const isOneSplit = (parts > 1 && partsBefore === 1) || (parts === 1 && partsBefore > 1);
  if (isOneSplit && parts === ended.parts.length) return ["parts"];
  const traits = await readTraits(connection, read.source, ended.form, read);
  return listEvidence(ended, traits);
}

// A split with an empty part shows no more than one request.
function countParts(ended: ReadEnd): number {
  return Math.max(1, countFilledParts(ended));
}

function decideNeutral(
  { windowStart, seenAt }: ReadFacts,
  ended: ReadEnd | undefined,
  isForgotten: boolean,
): Verdict["neutral"] {
  if (windowStart === null) return undefined;
  const retentionMs = ended?.retention_ms ?? undefined;
  const ageMs = fromTimestamp(seenAt) - fromTimestamp(windowStart);
  if (retentionMs !== undefined && ageMs > retentionMs) return "beyond_retention";
  return isForgotten ? "forgotten" : undefined;
}

/** Decides the state of a window after a read, and what the ledger stores of it. */
export async function decideState(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  verdict: Verdict,
  result: Pick<ReadResult, "inserted" | "quarantined" | "withheld">,
): Promise<ReadNote> {
  const { ended } = manifest;
  const [state, reason] = await decideClosedState(
    connection,
    read,
    isClosed(manifest),
    verdict,
    result,
  );
  const last = ended?.parts[0];
  return {
    state,
    reason,
    evidence: state === "finalized" || state === "accepted" ? verdict.evidence : [],
    signs: verdict.signs,
    isNeutral: verdict.neutral !== undefined,
    parts: ended ? countParts(ended) : 1,
    form: ended?.form ?? null,
    isNextFollowed: ended?.parts.some(({ followed }) => followed) ?? false,
    isHalfAsked: ended?.half_asked ?? false,
    smallestFollowed: last?.smallest_followed ?? null,
  };
}

async function decideClosedState(
  connection: DuckDBConnection,
  read: ReadFacts,
  isClosed: boolean,
  verdict: Verdict,
  result: Pick<ReadResult, "inserted" | "quarantined" | "withheld">,
): Promise<[WindowState, Reason | null]> {
  const { agrees, isIncomplete, evidence, neutral, previous } = verdict;
  const { standing, compared } = previous;
  if (!isClosed) return ["open", null];
  // Records missing from both reads contradict the end, although both reads agree on the number of equal records.
  const isProven = agrees && !isIncomplete && compared?.wasOpen === false && evidence.length > 0;
  if (isProven && !evidence.includes("earlier_version")) return ["finalized", null];
  if (isProven) return [standing?.state === "finalized" ? "finalized" : "accepted", null];
  if (standing?.state === "gap" && neutral !== undefined) return ["gap", neutral];
  // What a service has forgotten, or an answer that was cut off, shows nothing against a final window. Only what came
  // since does, by this read or by that of another window. What waits may be new. Of records that cannot be read only
  // more than before are: each read has them again.
  const unreadable = Math.max(0, result.quarantined - (compared?.quarantined ?? 0));
  const isNothingNew = result.inserted + unreadable + result.withheld === 0;
  const isFinal = standing?.state === "finalized" || standing?.state === "accepted";
  if (isFinal && isNothingNew && (await countArrivedSince(connection, read, standing)) === 0)
    return [standing.state, neutral ?? null];
  return ["closed", neutral ?? chooseReason(verdict)];
}

function chooseReason({ signs, agrees, isIncomplete, previous: { compared } }: Verdict): Reason {
  if (signs.length > 0) return "signs";
  if (isIncomplete) return "lacking";
  if (compared === undefined || compared.wasOpen || !compared.isComplete) return "once";
  return agrees ? "no_evidence" : "differs";
}

/** What shows that the answers of a read were whole. */
type Evidence =
  | "parts"
  | "null_next"
  | "absent_next"
  | "empty_page"
  | "given_before"
  | "total"
  | "short_page"
  | "longer_range"
  | "whole";

/**
 * Lists the evidence for the end in a read that agrees with the previous one, for a window requested as one. Earlier
 * traits of the source count if they have the same form.
 */
export function listEvidence(ended: ReadEnd, traits: Traits): Evidence[] {
  const [part, ...more] = ended.parts;
  if (part === undefined || more.length > 0) return ended.whole ? ["whole"] : [];
  const isNextSeen = traits.isNextSeen || part.followed;
  const smallest = takeLeast(traits.smallestFollowed, part.smallest_followed);
  const isShort = ended.size !== null && part.last_page > 0 && part.last_page < ended.size;
  const found: Record<Exclude<Evidence, "parts">, boolean> = {
    null_next: part.by === "null_next",
    absent_next: part.by === "absent_next" && isNextSeen,
    empty_page: part.by === "empty_page",
    given_before: part.records === 0 && traits.hasGiven,
    total: part.total !== null && part.records >= part.total,
    short_page: isShort && smallest !== undefined && part.last_page < smallest,
    longer_range: ended.longer,
    whole: ended.whole,
  };
  return (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name]);
}

/** Returns the contradicting signs that the answers of a read gave; empty where it is complete. */
export function listSignsAgainst(ended: ReadEnd | undefined): string[] {
  return [...new Set(ended?.parts.flatMap(({ signs }) => signs))].sort();
}

const leastUnreadable = 10;
const unreadableShare = 0.01;

/** Returns the contradicting signs that only the load of a read shows. */
export function listRecordSigns(
  {
    isSentAgain,
    fetched,
    quarantined,
  }: Pick<ReadContent, "isSentAgain" | "fetched" | "quarantined">,
  ended: ReadEnd | undefined,
): string[] {
  // Reads that agree on records which none of them could read agree on nothing.
  const isUnreadable =
    ended !== undefined &&
    quarantined >= leastUnreadable &&
    quarantined > fetched * unreadableShare &&
    ended.ignored?.includes("unreadable") !== true;
  return [...(isSentAgain ? ["repeated_page"] : []), ...(isUnreadable ? ["unreadable"] : [])];
}

/** The ranges that hold records of a read in parts: where there are two, an answer that was cut off would show. */
export function countFilledParts(ended: ReadEnd): number {
  return ended.parts.filter(({ records }) => records > 0).length;
}

/** What a source has shown once a read of it is known, too. */
export function updateTraits(traits: Traits, ended: ReadEnd): Traits {
  const { parts } = ended;
  return {
    isNextSeen: traits.isNextSeen || parts.some(({ followed }) => followed),
    smallestFollowed: parts.reduce(
      (smallest, part) => takeLeast(smallest, part.smallest_followed),
      traits.smallestFollowed,
    ),
    hasGiven: traits.hasGiven || parts.some(({ records }) => records > 0),
    isHalfAsked: traits.isHalfAsked || ended.half_asked,
  };
}

function takeLeast(a: number | undefined, b: number | null): number | undefined {
  if (a === undefined || b === null) return a ?? b ?? undefined;
  return Math.min(a, b);
}
