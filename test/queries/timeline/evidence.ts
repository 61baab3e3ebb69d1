import type { Random } from "../../../fixtures/random.ts";

// Changes of policies are missing in the log, snapshots are taken now and then, and the ledger has gaps. The newest
// evidence decides a moment, found by a search through all of it.

export const startMs = Date.UTC(2026, 2, 2);
export const operations = ["manage", "download", "query:1", "query:2", "edit:1"];

/** An interval of time of which the ledger has nothing. */
export type Gap = { readonly fromMs: number; readonly untilMs: number };

/** Rights as texts. */
export type Held = readonly string[];
/** What is known of a policy's set from a moment on; `before` is what a change found. */
export type Evidence = {
  readonly atMs: number;
  readonly kind: "log" | "snapshot";
  readonly set: Held;
  readonly before?: Held;
  /** A snapshot found no policy, a change deletes it. */
  readonly isGone?: boolean;
};

function makeSet(random: Random): Held {
  return operations.filter(() => random.chance(0.4));
}

/** The evidence of one policy, in its order. */
export function makeHistory(random: Random): Evidence[] {
  let set = makeSet(random);
  let isGone = false;
  let atMs = startMs;
  return Array.from({ length: random.int(1, 14) }, (): Evidence[] => {
    atMs += random.int(1, 3600) * 1000;
    if (random.chance(0.4)) return [{ atMs: atMs + 500, kind: "snapshot", set, isGone }];
    const before = set;
    // What is deleted may come back, under the same id.
    isGone = !isGone && random.chance(0.1);
    set = isGone ? [] : makeSet(random);
    // Some changes are missing in the log.
    if (random.chance(0.3)) return [];
    if (!isGone && random.chance(0.25)) {
      const sets = makeChain(random, before);
      set = sets.at(-1)!;
      return sets.map((own, i) => ({
        atMs,
        kind: "log",
        set: own,
        before: i === 0 ? before : sets[i - 1]!,
      }));
    }
    // A deletion does not say what it found.
    return [{ atMs, kind: "log", set, before: isGone ? [] : before, isGone }];
  }).flat();
}

// Changes of one second, whose order only their whole sets show: none of them comes twice.
function makeChain(random: Random, before: Held): Held[] {
  const chain: Held[] = [];
  for (let i = random.int(2, 4); i > 0; i--) {
    const next = makeSet(random);
    if (![before, ...chain].some((one) => String(one) === String(next))) chain.push(next);
  }
  return chain.length === 0 ? [makeSet(random)] : chain;
}

/** A new name of a policy, now and then in the second of a change. */
export type Renaming = { readonly atMs: number; readonly name: string };

/** Makes the names of a policy over time; some read like sets. */
export function makeRenamings(random: Random, own: readonly Evidence[]): Renaming[] {
  const times = own.filter(({ kind }) => kind === "log").map(({ atMs }) => atMs);
  return [...new Set(times)]
    .filter(() => random.chance(0.3))
    .map((atMs, i) => ({
      atMs: random.chance(0.5) ? atMs : atMs + 7000,
      name: random.pick([`Team ${i}`, `{"Databases":[]} ${i}`, `none ${i}`, `query,edit ${i}`]),
    }));
}

/** A renaming as the log has it. */
export function renamedRecord(id: string, { atMs, name }: Renaming, n: number): object {
  return {
    id: `${id}-name-${n}`,
    time: atMs / 1000,
    resource_id: id,
    resource_name: name,
    event_name: "permission_policy_modify",
    attribute_name: "name",
    old_value: "before",
    new_value: name,
  };
}

/** A set as the service writes it. */
export const formatBody = (set: Held): string =>
  JSON.stringify({
    Databases: set.map((text) => {
      const [operation, ids] = text.split(":");
      return ids === undefined ? { operation } : { operation, ids };
    }),
  });

/** A change as the log has it. */
export function buildRecord(
  id: string,
  { atMs, set, before, isGone }: Evidence,
  n: number,
): object {
  const common = { id: `${id}-${n}`, time: atMs / 1000, resource_id: id };
  if (isGone) return { ...common, event_name: "permission_policy_delete" };
  const values = { old_value: formatBody(before ?? []), new_value: formatBody(set) };
  return { ...common, event_name: "permission_policy_modify", ...values };
}

/** Where the log is read up to: behind everything, or before some of it, and behind the gaps. */
export function readEndOf(random: Random, gaps: readonly Gap[]): number {
  const endMs = startMs + (random.chance(0.2) ? 4e8 : random.int(3600, 20_000) * 1000);
  return Math.max(endMs, ...gaps.map(({ untilMs }) => untilMs + 1000));
}

/** Up to three gaps that do not touch. */
export function makeGaps(random: Random): Gap[] {
  const gaps: Gap[] = [];
  let atMs = startMs;
  for (let i = random.int(0, 3); i > 0; i--) {
    const fromMs = atMs + random.int(600, 9000) * 1000;
    atMs = fromMs + random.int(60, 7200) * 1000;
    gaps.push({ fromMs, untilMs: atMs });
  }
  return gaps;
}

/** State of a moment: what applies, what is contradicted, and what is unknown because of a gap. */
export type PolicyState = {
  readonly sure: Held;
  readonly contradicted: Held;
  readonly unknown: Held;
};

/** Computes the state of a policy at a moment. */
export function stateAt(own: readonly Evidence[], gaps: readonly Gap[], atMs: number): PolicyState {
  const { sure, contradicted } = newestAt(own, atMs);
  const isKnown = own.some((one) => one.atMs <= atMs);
  // A gap ends with the next evidence after it. It reaches back over what had no evidence before it.
  const silent = gaps.filter(
    (gap) =>
      (gap.fromMs <= atMs || (!isKnown && gap.fromMs <= nextAt(own, atMs))) &&
      !own.some((one) => one.atMs >= gap.untilMs && one.atMs <= atMs),
  );
  if (silent.length === 0) return { sure, contradicted, unknown: [] };
  const unknown = [...sure, ...foundAfter(own, silent, atMs)];
  return { sure: [], contradicted, unknown: operations.filter((text) => unknown.includes(text)) };
}

function nextAt(own: readonly Evidence[], atMs: number): number {
  return own.find((one) => one.atMs > atMs)?.atMs ?? -Infinity;
}

// What the change that ends a silence found, without earlier evidence.
function foundAfter(own: readonly Evidence[], silent: readonly Gap[], atMs: number): Held {
  const next = own.find((one) => one.atMs > atMs);
  const last = own.findLast((one) => one.atMs <= atMs);
  if (next?.kind !== "log" || last === undefined) return [];
  const isEnd = silent.some((gap) => next.atMs >= gap.untilMs);
  const { sure, contradicted } = newestAt(own, next.atMs - 1);
  return isEnd
    ? next.before!.filter((text) => !sure.includes(text) && !contradicted.includes(text))
    : [];
}

function newestAt(
  own: readonly Evidence[],
  atMs: number,
): { readonly sure: Held; readonly contradicted: Held } {
  const newest = own.findLast((one) => one.atMs <= atMs);
  const next = own.find((one) => one.atMs > atMs);
  if (newest === undefined) return { sure: next?.before ?? next?.set ?? [], contradicted: [] };
  if (newest.kind === "snapshot" || next?.kind !== "snapshot")
    return { sure: newest.set, contradicted: [] };
  const contradicted = operations.filter(
    (text) => newest.set.includes(text) !== next.set.includes(text),
  );
  return { sure: newest.set.filter((text) => !contradicted.includes(text)), contradicted };
}
