import { messageOf } from "../../../pipeline/errors.ts";
import type { Ingested } from "../../../pipeline/commands/ingest/night.ts";
import { runNight, type Place } from "./night.ts";
import { planOf, type Plan } from "./plan.ts";
import { simulate, type Simulated } from "./service.ts";
import { finalBound } from "./truth.ts";
import { mayBeCut, type Walk } from "./walks.ts";

/** A seed whose nights are over, with what its service showed. */
export type Trial = {
  readonly plan: Plan;
  readonly walks: readonly Walk[];
  /** Walks that only the ledger can tell whether they were accepted. */
  readonly open: readonly Walk[];
  readonly accepted: readonly Walk[];
  readonly complaints: string[];
};

/** The services of the seeds at work, by seed. */
export type Services = Map<string, Simulated>;

/** Carries out the nights of a seed and checks what each of them claims. */
export async function tryNights(seed: number, place: Place, services: Services): Promise<Trial> {
  const plan = planOf(seed);
  const service = simulate(plan);
  services.set(String(seed), service);
  const complaints: string[] = [];
  const accepted: Walk[] = [];
  const open: Walk[] = [];
  for (const night of plan.nights.keys()) {
    try {
      const { ingested } = await runNight(plan, night, service, place);
      const walks = service.walks.filter((walk) => walk.night === night);
      const whole = walks.filter(({ isComplete, isPoisoned }) => isComplete && !isPoisoned);
      if (ingested === undefined || hasEnded(plan, night, ingested)) open.push(...whole);
      else {
        const [cut, sure] = parted(whole, (walk) => mayBeCut(walk, plan.source.limits.read_pages));
        const taken = sure.filter((walk) => !walk.isDoubtful || !isFailed(walk, ingested));
        accepted.push(...taken);
        open.push(...cut);
        const least = taken.length;
        const most = least + cut.length;
        complaints.push(
          ...judge(plan, night, service.walks, [least, most], [accepted, open], ingested),
        );
      }
    } catch (error) {
      complaints.push(`night ${night}: ${messageOf(error)}`);
    }
  }
  services.delete(String(seed));
  return { plan, walks: service.walks, open, accepted, complaints };
}

// An interrupted run does not say which of the windows it had read it has kept.
function hasEnded({ nights }: Plan, night: number, { outcome }: Ingested): boolean {
  return nights[night]!.end !== undefined && outcome.run.outcome === "interrupted";
}

function judge(
  plan: Plan,
  night: number,
  all: readonly Walk[],
  [least, most]: readonly [number, number],
  [accepted, open]: readonly [readonly Walk[], readonly Walk[]],
  { outcome, final }: Ingested,
): string[] {
  const complaints: string[] = [];
  const say = (text: string): void => void complaints.push(`night ${night}: ${text}`);
  const isLast = night === plan.nights.length - 1;
  const isDoubtful = all.some((walk) => walk.night === night && walk.isDoubtful);
  if (isLast && !isDoubtful && outcome.failures.length > 0)
    say(`failed in a calm night: ${outcome.failures[0]!.message}`);
  const reads = outcome.run.windows;
  if (reads < least || reads > most)
    say(`stored ${reads} reads, but ${least} walks were whole: wrong success or loss`);
  // As the service saw them, one after the other.
  const stored = all.filter((walk) => accepted.includes(walk) || open.includes(walk));
  const boundMs = finalBound(plan, stored, open);
  const finalMs = final?.endMs ?? -Infinity;
  if (finalMs > boundMs) say(`final up to ${text(finalMs)}, later than ${text(boundMs)}`);
  return complaints;
}

function parted<T>(list: readonly T[], is: (item: T) => boolean): [T[], T[]] {
  return [list.filter(is), list.filter((item) => !is(item))];
}

function isFailed(walk: Walk, { outcome }: Ingested): boolean {
  return outcome.failures.some(
    ({ window }) =>
      walk.toMs === Infinity || (window.startMs <= walk.fromMs && window.endMs >= walk.toMs),
  );
}

function text(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms);
}
