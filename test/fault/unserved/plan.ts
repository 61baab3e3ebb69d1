import { newRandom, type Random } from "../../../fixtures/random.ts";

/** One record of a service that fails at some of them. */
export type Logged = { readonly id: string; readonly second: number; readonly isPoison: boolean };

const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"] as const;

/** A log of one day, and how a service fails to give all of it. */
export type Plan = {
  readonly seed: number;
  readonly style: (typeof styles)[number];
  /** In the order of the service. */
  readonly events: readonly Logged[];
  readonly pageCap: number;
  /** Whether the last second of a range is part of the answer. */
  readonly isToIncluded: boolean;
  /** Answer to a page that holds such a record: a status, a page of HTML, or a body that is cut off. */
  readonly failure: 400 | 404 | 410 | 500 | 502 | "html" | "cut";
  /** Pages of a reading that are served; the cursor behind them has expired. */
  readonly servedPages: number;
};

export const dayStart = Date.UTC(2026, 2, 1) / 1000;
const daySeconds = 86_400;

/** The plan of a seed: records that are not served, a cursor that expires, or both. */
export function makePlan(seed: number): Plan {
  const random = newRandom(seed, "unserved records");
  const style = random.pick(styles);
  const expires = style !== "none" && random.chance(0.4);
  const poisons = expires && random.chance(0.7) ? 0 : random.int(1, 3);
  const plan = {
    seed,
    style,
    events: makeEvents(random, poisons),
    pageCap: random.int(3, 20),
    isToIncluded: random.chance(0.3),
    failure: random.pick([400, 404, 410, 500, 500, 502, "html", "cut"] as const),
    servedPages: expires ? random.int(2, 6) : Infinity,
  };
  return random.chance(0.5) ? plan : { ...plan, events: plan.events.toReversed() };
}

function makeEvents(random: Random, poisons: number): Logged[] {
  const bursts = Array.from({ length: random.int(0, 3) }, () => random.int(0, daySeconds - 1));
  const seconds = Array.from({ length: random.int(20, 120) }, () =>
    bursts.length > 0 && random.chance(0.4) ? random.pick(bursts) : random.int(0, daySeconds - 1),
  ).toSorted((a, b) => a - b);
  const chosen = new Set(Array.from({ length: poisons }, () => random.int(0, seconds.length - 1)));
  return seconds.map((second, i) => ({
    id: random.uuid(),
    second: dayStart + second,
    isPoison: chosen.has(i),
  }));
}

/** The records of a request over a range of seconds. */
export function selectedBy({ events, isToIncluded }: Plan, from: number, to: number): Logged[] {
  return events.filter(
    ({ second }) => second >= from && (isToIncluded ? second <= to : second < to),
  );
}

/** Decides whether a service gives all pages of a range. */
export function isServed(plan: Plan, from: number, to: number): boolean {
  const selected = selectedBy(plan, from, to);
  if (selected.some(({ isPoison }) => isPoison)) return false;
  return Math.ceil(selected.length / plan.pageCap) <= plan.servedPages;
}

/** The seconds of the day that no request can give, by themselves. */
export function unservedSeconds(plan: Plan): number[] {
  // A second without records of its own or of the next one is served.
  const near = plan.events.flatMap(({ second }) => [second - 1, second]);
  return [...new Set(near)]
    .filter((second) => second >= dayStart && !isServed(plan, second, second + 1))
    .toSorted((a, b) => a - b);
}
