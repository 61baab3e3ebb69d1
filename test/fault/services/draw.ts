import { newRandom, type Random } from "../../../fixtures/random.ts";
import { buildSource } from "../bed.ts";
import { makeEvents } from "./events.ts";
import { needsWord } from "./evidence.ts";
import type { Drawn, MisbehaviorKind } from "./misbehavior-kind.ts";
import { misbehaviorKinds } from "./misbehaviors.ts";
import {
  dayMs,
  hourMs,
  minuteMs,
  shapes,
  styles,
  type Manners,
  type Plan,
  type Range,
  type Shape,
  type Style,
} from "./plan.ts";

/** A seed is a service that states what it has, or one that does not. */
export type Side = "well_behaved" | "misbehaving";

// The pinned seeds of the tests depend on these names of the random sequences.
const sequences = { well_behaved: "honest", misbehaving: "liars" };

type Frame = { readonly windowMs: number; readonly graceMs: number; readonly lookbackMs: number };

/** The plan of a seed. */
export function makePlan(seed: number, side: Side): Plan {
  const random = newRandom(seed, sequences[side]);
  const frame = makeFrame(random);
  const runTimes = makeRunTimes(random, frame, side);
  const kind =
    side === "misbehaving" ? misbehaviorKinds[seed % misbehaviorKinds.length]! : undefined;
  const usual = makeManners(random, frame, kind);
  const drawn = kind?.draw(random, usual, { runTimes, windowMs: frame.windowMs });
  const manners = mannersFor(usual, drawn);
  const events = makeEvents(random, {
    windowMs: frame.windowMs,
    starts: listStarts(frame, runTimes),
    runTimes,
    withIds: random.pick([1, 1, 0.5, 0]),
    isSpread: drawn?.needsCut ?? random.chance(0.2),
    isLow: drawn === undefined && random.chance(0.15),
    late: drawn?.needsCut !== true && random.chance(0.15) ? 0.1 : 0,
  });
  const misbehavior = drawn && { name: kind!.name, ...drawn.misbehavior };
  const plan = { seed, name: `${side}-${seed}`, manners, misbehavior, runTimes, events };
  return { ...plan, source: sourceFor(random, frame, plan, drawn) };
}

function makeFrame(random: Random): Frame {
  const windowMs = random.pick([hourMs, hourMs, 6 * hourMs, dayMs]);
  const graceMs = random.pick([10 * minuteMs, hourMs, hourMs]);
  return { windowMs, graceMs, lookbackMs: windowMs * random.pick([1.5, 2, 2.5]) };
}

// A well-behaved service is read as often as necessary; a misbehaving one gets more chances to agree with itself.
function makeRunTimes(random: Random, { windowMs }: Frame, side: Side): number[] {
  const firstMs = Date.UTC(2026, random.int(0, 11), random.int(1, 28), random.int(0, 23));
  const count = side === "well_behaved" ? random.pick([2, 2, 3]) : random.pick([2, 3, 3, 5]);
  const step = windowMs / (side === "well_behaved" ? 2 : count);
  const insideMs = Math.round((windowMs * random.next()) / 1000) * 1000;
  return Array.from({ length: count }, (_, i) => firstMs + insideMs + Math.floor(i * step));
}

function listStarts({ windowMs, lookbackMs }: Frame, runTimes: readonly number[]): number[] {
  const first = Math.floor((runTimes[0]! - lookbackMs) / windowMs) - 1;
  const last = Math.floor(runTimes.at(-1)! / windowMs);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * windowMs);
}

function makeManners(
  random: Random,
  { windowMs }: Frame,
  kind: MisbehaviorKind | undefined,
): Manners {
  const style = random.pick(kind?.styles ?? styles);
  const isEnveloped = kind?.isEnveloped === true || style === "cursor" || style === "next_url";
  const shape = isEnveloped ? "envelope" : random.pick(shapes);
  return {
    style,
    shape,
    order: random.pick(["oldest_first", "newest_first", "shuffled"]),
    range: makeRange(random, windowMs),
    isEndIncluded: random.chance(0.25),
    pageCap: random.int(3, 20),
    obeysSize: random.chance(0.8),
    listAt: random.pick([["audits"], ["audits"], ["data"], ["items"], ["data", "items"]]),
    total: makeTotal(random, shape),
    end: random.pick(["null", "absent"]),
    saysNext: random.chance(0.4),
    hasEmptyLast: random.chance(0.2),
    beside: random.chance(0.4) ? random.pick(nothingWrong) : {},
  };
}

// What an answer may say of itself where all is well.
const nothingWrong: readonly Readonly<Record<string, unknown>>[] = [
  { errors: [], warnings: [] },
  { error: null, success: true },
  { ok: true, partial: false, truncated: false },
  { status: 200, request_id: "5f0c" },
  { status: "ok", timed_out: false },
  { faults: [], count: 3 },
  { incomplete: false, warnings: [] },
  { links: [{ rel: "self", href: "/v4/audits" }] },
];

function makeRange(random: Random, windowMs: number): Range {
  const how = random.pick([
    "honoured",
    "honoured",
    "honoured",
    "ignored",
    "absent",
    "outward",
    "floored",
  ] as const);
  if (how !== "outward" && how !== "floored") return { how };
  const units = [minuteMs, hourMs, dayMs].filter((ms) => how === "outward" || ms <= windowMs);
  return { how, unitMs: random.pick(units) };
}

function makeTotal(random: Random, shape: Shape): Manners["total"] {
  if (shape !== "envelope" || !random.chance(0.4)) return undefined;
  return {
    at: random.pick(["total", "total_count", "total_records", "total_results", "meta.hits"]),
    of: random.pick(["selection", "selection", "log"]),
  };
}

function mannersFor(usual: Manners, drawn: Drawn | undefined): Manners {
  if (drawn === undefined) return usual;
  // A total of everything would be missed by every window, regardless of misbehavior.
  const total = usual.total?.of === "log" ? undefined : usual.total;
  const range: Range = drawn.needsCut ? { how: "honoured" } : usual.range;
  return { ...usual, total, range, ...drawn.manners };
}

function sourceFor(
  random: Random,
  frame: Frame,
  { manners, runTimes, events }: Pick<Plan, "manners" | "runTimes" | "events">,
  drawn: Drawn | undefined,
): Plan["source"] {
  const { style, range, total } = manners;
  const isWhole = drawn === undefined && needsWord(manners, frame, runTimes, events);
  const paging = {
    style,
    size: makeSize(random, style),
    first: style === "offset" ? 0 : random.int(0, 1),
    whole: isWhole,
  };
  const audits = {
    window_params:
      range.how === "absent" ? null : { form: random.pick(["epoch_seconds", "iso8601"]) },
    paging: { ...paging, ...drawn?.paging },
    ...(total?.at.includes(".") === true ? { total_at: total.at } : {}),
    // Such an answer has two lists of objects.
    ...(manners.beside["links"] === undefined ? {} : { records_at: manners.listAt.join(".") }),
    ...(total?.of === "log" ? { ignore_signs: ["total"] } : {}),
  };
  return buildSource({
    window: frame.windowMs,
    lookback: frame.lookbackMs,
    grace_period: frame.graceMs,
    confirm: drawn?.differsByRun !== true && random.chance(0.2),
    audits,
  });
}

function makeSize(random: Random, style: Style): number {
  return style === "none" ? 1000 : random.int(3, 30);
}
