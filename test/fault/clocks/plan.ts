import { newRandom, type Random } from "../../../fixtures/random.ts";
import type { SourceConfig } from "../../../schemas/config.ts";
import { buildSource } from "../bed.ts";

export const hourMs = 3_600_000;

/** A run: the true moment, and what our clock and the service's `Date` show; no `Date` where it is undefined. */
export type Run = {
  readonly trueMs: number;
  readonly ourMs: number;
  readonly dateMs: number | undefined;
};

export type SimEvent = {
  readonly id: string;
  readonly timeMs: number;
  readonly visibleMs: number;
};

/** A source whose clocks are wrong in one run, followed by an outage; all of it follows from the seed. */
export type Plan = {
  readonly seed: number;
  readonly name: string;
  readonly source: SourceConfig;
  readonly runs: readonly Run[];
  /** The run whose clocks are wrong. */
  readonly wrong: number;
  readonly events: readonly SimEvent[];
  readonly pageSize: number;
};

// Runs after the outage: enough for every window to be read twice after it closed.
const calmRuns = 4;

/** The plan of a seed. */
export function makePlan(seed: number): Plan {
  const random = newRandom(seed, "clocks");
  const source = drawSource(random);
  const { runs, wrong } = drawRuns(random, source.lookback);
  const fromMs = runs[0]!.trueMs - source.lookback - 2 * source.window;
  const events = drawEvents(random, fromMs, runs.at(-1)!.trueMs);
  return { seed, name: `seed-${seed}`, source, runs, wrong, events, pageSize: random.int(3, 40) };
}

function drawSource(random: Random): SourceConfig {
  const window = random.pick([2, 6, 24]) * hourMs;
  return buildSource({
    window,
    lookback: random.pick([6, 12, 24]) * hourMs,
    confirm: random.chance(0.5),
    grace_period: random.pick([0.25, 1]) * hourMs,
    ...(random.chance(0.2) ? { retention: 90 * 24 * hourMs } : {}),
    audits: { paging: { style: "page", size: 50 } },
    limits: { max_attempts: 2, concurrency: 2 },
  });
}

function drawRuns(random: Random, lookbackMs: number): Pick<Plan, "runs" | "wrong"> {
  const pauseMs = random.pick([6, 12, 24]) * hourMs;
  const hasDate = random.chance(0.6);
  const before = random.int(0, 2);
  const outageMs = random.pick([1, 3, 8, 20, 30, 48, 96]) * hourMs;
  let trueMs = Date.UTC(2026, random.int(0, 11), random.int(1, 28), random.int(0, 23), 7);
  const runs: Run[] = [];
  for (let i = 0; i <= before + calmRuns + 1; i++) {
    const [ourOff, dateOff] = i === before ? drawOffsets(random, hasDate) : [0, 0];
    runs.push({
      trueMs,
      ourMs: trueMs + ourOff,
      dateMs: hasDate ? trueMs + dateOff : undefined,
    });
    trueMs += i === before ? outageMs : Math.max(pauseMs, lookbackMs / 8);
  }
  return { runs, wrong: before };
}

// Which of the clocks is off, and by how much; a difference beyond 30 h is refused, which stores nothing.
function drawOffsets(random: Random, hasDate: boolean): readonly [number, number] {
  const off = (): number => random.pick([-1, 1, 1]) * random.int(1, 29 * 60) * 60_000;
  const whose = hasDate ? random.pick(["ours", "service", "both", "each"] as const) : "ours";
  if (whose === "ours") return [off(), 0];
  if (whose === "service") return [0, off()];
  if (whose === "each") return [off(), off()];
  const both = off() * random.pick([1, 1, 2, 8]);
  return [both, both];
}

function drawEvents(random: Random, fromMs: number, toMs: number): SimEvent[] {
  const meanMs = random.pick([0.4, 1, 4]) * hourMs;
  const events: SimEvent[] = [];
  for (let ms = fromMs; ms < toMs; ms += Math.ceil(-Math.log(1 - random.next()) * meanMs)) {
    const timeMs = Math.floor(ms / 1000) * 1000;
    const lateMs = random.chance(0.1) ? random.int(0, 10) * 60_000 : 0;
    events.push({ id: `e${events.length}`, timeMs, visibleMs: timeMs + lateMs });
  }
  return events;
}
