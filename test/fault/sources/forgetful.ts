import { newRandom, type Random } from "../../../fixtures/random.ts";
import { newEvent, type SimEvent } from "./events.ts";
import { dayMs, hourMs, minuteMs, type ScheduledRun, type Plan, makePlan } from "./plan.ts";

/**
 * The plan of a seed whose service deletes some events of a window between its reads. Equal records without an id are
 * on several pages, and each run reads the window again.
 */
export function makeForgetfulPlan(seed: number): Plan {
  const plan = makePlan(seed);
  const random = newRandom(seed, "forgetful source");
  const manners = { ...plan.manners, pageCap: random.int(2, 4), isPinned: random.chance(0.3) };
  const audits = { ...plan.source.audits };
  audits.window_params ??= { from: "from", to: "to", form: "epoch_seconds" };
  const source = {
    ...plan.source,
    window: dayMs,
    lookback: random.int(1, 3) * dayMs,
    grace_period: random.pick([minuteMs, hourMs]),
    audits,
    limits: { ...plan.source.limits, read_pages: random.pick([500, 500, 500, 4]) },
  };
  const runs = makeRuns(random, plan);
  return { ...plan, source, manners, runs, events: makeEvents(random, runs) };
}

// Close enough together that each reads the windows of the one before.
function makeRuns(random: Random, { runs }: Plan): ScheduledRun[] {
  const [first, last] = [runs[0]!, runs.at(-1)!];
  const skewMs = first.localMs - first.atMs;
  const count = random.int(3, 5);
  let atMs = first.atMs;
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) atMs += random.int(2, 28) * hourMs;
    const trouble = i === count - 1 || random.chance(0.7) ? last : random.pick(runs);
    return { ...trouble, atMs, localMs: atMs + skewMs };
  });
}

function makeEvents(random: Random, runs: readonly ScheduledRun[]): SimEvent[] {
  const seconds = makeSeconds(random, runs);
  const events: SimEvent[] = [];
  const add = (event: SimEvent, share: number): void =>
    void events.push({
      ...event,
      shuffle: random.next(),
      ...makeShown(random, runs, event, share),
    });
  for (let n = random.int(2, 6); n > 0; n--) {
    const id = random.chance(0.5) ? random.uuid() : null;
    add(newEvent(random, `single${n}`, id, random.pick(seconds)), 0.6);
  }
  for (let n = random.int(1, 3); n > 0; n--) {
    const event = newEvent(random, `burst${n}`, null, random.pick(seconds));
    for (let copies = random.int(2, 6); copies > 0; copies--) add(event, 0.1);
  }
  return events;
}

// Mostly of one window, which is open in the first run.
function makeSeconds(random: Random, runs: readonly ScheduledRun[]): number[] {
  const beginMs = Math.floor(runs[0]!.atMs / dayMs) * dayMs;
  const days = random.pick([1, 1, 2]);
  return Array.from(
    { length: random.int(1, 4) },
    () => beginMs + random.int(0, days * 86_400 - 1) * 1000,
  );
}

// Some come after a run that read their window, and some are deleted before another.
function makeShown(
  random: Random,
  runs: readonly ScheduledRun[],
  { timeMs }: SimEvent,
  share: number,
): Pick<SimEvent, "visibleMs" | "hiddenMs"> {
  const [firstMs, lastMs] = [runs[0]!.atMs, runs.at(-1)!.atMs];
  const visibleMs = random.chance(0.6) ? timeMs : Math.max(timeMs, random.int(firstMs, lastMs));
  const hiddenMs = random.chance(share) ? random.int(firstMs, lastMs) : Infinity;
  return { visibleMs, hiddenMs: Math.max(visibleMs, hiddenMs) };
}
