import type { ActivationResult } from "../../../pipeline/outgoing/activations/started.ts";
import type { Bed } from "./bed.ts";
import type { Arrival } from "./places.ts";
import type { Plan, Source } from "./plan.ts";
import { numberless, type Listed } from "./tables.ts";
import type { Attempt } from "./trouble.ts";

// The oracle: it compares what arrived and what the destination did, and shares no rule with the program. The
// destination has the aggregate of what arrived, in order.

const dayMs = 86_400_000;

/** Plays a history; returns what was untrue of it, each line beginning with the seed. */
export async function judge(plan: Plan, bed: Bed): Promise<string[]> {
  const faults: string[] = [];
  const complain = (step: string, text: string): void =>
    void faults.push(`seed ${plan.seed}, ${plan.destination}, ${step}: ${text}`);
  const arrivals: Dated[] = [];
  const tries: Dated[] = [];
  const broken = new Set<number>();
  for (const [at, step] of plan.steps.entries()) {
    const where = `step ${at + 1} of day ${step.day}`;
    const before = bed.attempts.length;
    const outcome = await bed.run(step, step.isScheduled ? step.day * dayMs : undefined);
    const attempts = bed.attempts.slice(before);
    for (const row of bed.arrived().slice(arrivals.length)) arrivals.push({ ...row, at });
    for (const text of untried(tries, attempts, at, broken, plan)) complain(where, text);
    for (const { rows, end } of attempts)
      if (end === "refused") tries.push(...rows.map((row) => ({ ...row, at })));
    if (outcome instanceof Error) {
      broken.add(at);
      if (step.trouble === undefined) complain(where, `failed without trouble: ${outcome.message}`);
      continue;
    }
    const listed = await bed.listed();
    const sources = plan.steps.slice(0, at + 1).map(({ source }) => source);
    for (const text of findUnreported(bed.arrived(), sources, listed)) complain(where, text);
    for (const text of misjudged(attempts, outcome, listed)) complain(where, text);
  }
  for (const text of twice(arrivals, plan)) complain("at the end", text);
  for (const text of await forgotten(plan, bed)) complain("at the end", text);
  return faults;
}

/** A row with the step in which it was handed over. */
type Dated = Arrival & { readonly at: number };

type Has = ReadonlyMap<string, string>;

function fold(arrived: readonly Arrival[]): Has {
  const has = new Map<string, string>();
  for (const { status, id, content } of arrived)
    if (status === "deleted") has.delete(id);
    else has.set(id, content);
  return has;
}

function differing(has: Has, source: Source): string[] {
  const ids = new Set([...has.keys(), ...source.keys()]);
  return [...ids].filter((id) => has.get(id) !== source.get(id)).toSorted();
}

// A run ended, and some row is not as in the source, or as it was when the delivery started. Then it is on the list
// of rows that did not arrive.
function findUnreported(
  arrived: readonly Arrival[],
  sources: readonly Source[],
  listed: readonly Listed[],
): string[] {
  const reported = new Set(listed.map(({ id }) => id));
  const has = fold(arrived);
  const left = sources.map((source) => differing(has, source).filter((id) => !reported.has(id)));
  if (left.some((ids) => ids.length === 0)) return [];
  return [`forgotten and not reported: ${left.at(-1)!.join(", ")}`];
}

// Each refusal is reported by the run that met it, and by the list.
function misjudged(
  attempts: readonly Attempt[],
  outcome: readonly ActivationResult[],
  listed: readonly Listed[],
): string[] {
  const last = new Map<string, Attempt["end"]>();
  for (const { rows, end } of attempts)
    for (const { id, status } of rows) last.set(`${status} ${id}`, end);
  const refused = [...last].filter(([, end]) => end === "refused").map(([row]) => row);
  const known = new Set(listed.map(({ id, status }) => `${status} ${id}`));
  const isReported = outcome.some(({ run }) => run.outcome === "partial");
  return [
    ...(refused.length > 0 && !isReported
      ? ["rows were refused, and the run said it was whole"]
      : []),
    ...refused
      .filter((row) => !known.has(row) && outcome.length === 1)
      .map((row) => `refused and not listed: ${row}`),
  ];
}

// A refused row is sent again with the same class and content for only two reasons: a retry was requested, or the
// source had another content for the id in between.
function untried(
  refused: readonly Dated[],
  attempts: readonly Attempt[],
  at: number,
  broken: ReadonlySet<number>,
  plan: Plan,
): string[] {
  // A requested retry stays requested after an interrupted delivery, even if that started after the refusal.
  const isAsked = (since: number): boolean =>
    plan.steps
      .slice(broken.has(since) ? since : since + 1, at + 1)
      .some(({ again }) => again.retryRefused || again.resendUncertain);
  const again = attempts
    .flatMap(({ rows }) => rows)
    .filter((row) => {
      const before = refused.findLast((each) => isSame(each, row));
      return (
        before !== undefined && !isAsked(before.at) && !changedBetween(row, before.at, at, plan)
      );
    });
  return again.map(({ id, status }) => `tried again unasked: ${status} ${id}`);
}

function isSame(a: Arrival, b: Arrival): boolean {
  return a.id === b.id && a.status === b.status && a.content === b.content;
}

// The same class and content arrives again for only two reasons: the source had another content for the id in
// between, or a resend of uncertain rows was requested.
function twice(arrivals: readonly Dated[], plan: Plan): string[] {
  // Rewriting a row that exists changes nothing.
  if (plan.destination.startsWith("marketing")) return [];
  return arrivals.flatMap((row, index) => {
    const before = arrivals.slice(0, index).findLast((each) => each.id === row.id);
    if (before === undefined || !isSame(before, row)) return [];
    const isAsked = plan.steps
      // One step may end a delivery and begin the next.
      .slice(Math.min(before.at + 1, row.at), row.at + 1)
      .some(({ again }) => again.resendUncertain);
    if (isAsked) return [];
    if (changedBetween(row, before.at, row.at, plan)) return [];
    return [`arrived twice: ${row.status} ${row.id} ${row.content}`];
  });
}

function changedBetween(
  { id, status, content }: Arrival,
  first: number,
  last: number,
  { steps }: Plan,
): boolean {
  const had = steps.slice(first, last + 1).map(({ source }) => source.get(id));
  return had.some((each) => each !== (status === "deleted" ? undefined : content));
}

// After days without faults, on which all undelivered rows are retried, the destination equals the source.
async function forgotten({ steps, destination }: Plan, bed: Bed): Promise<string[]> {
  const { source, day } = steps.at(-1)!;
  const again = { retryRefused: true, resendUncertain: true };
  const calm = {
    day,
    source,
    at: 0,
    trouble: undefined,
    poison: new Set<string>(),
    again,
    isScheduled: true,
  };
  for (let n = 1; n <= 2; n++) {
    const outcome = await bed.run({ ...calm, day: day + n }, (day + n) * dayMs);
    if (outcome instanceof Error) return [`a calm day failed: ${outcome.message}`];
  }
  const isReachable = (id: string): boolean => destination !== "messaging" || id !== numberless;
  const ids = differing(fold(bed.arrived()), source).filter(isReachable);
  const listed = (await bed.listed()).filter(({ id }) => isReachable(id));
  return [
    ...ids.map((id) => `forgotten: ${id}`),
    ...listed.map(({ id }) => `still listed after all arrived: ${id}`),
  ];
}
