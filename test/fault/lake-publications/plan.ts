import { newRandom, type Random } from "../../../fixtures/random.ts";
import { firstMs } from "../scheduled-runs/years.ts";
import { dayMs, hourMs } from "../../support/remote.ts";

/** The number of days, and how many of them the home keeps. */
export type Plan = { readonly seed: number; readonly days: number; readonly kept: number };

/** A day's additions to its run and its prune. */
export type DayPlan = {
  /** Counted from 1. */
  readonly number: number;
  /** When it begins, milliseconds since the epoch. */
  readonly nowMs: number;
  /** The service is unreachable. */
  readonly isDown: boolean;
  /** Days past the kept ones are pruned. */
  readonly prunes: boolean;
  /** Texts of queries are read, which takes a process of its own. */
  readonly readsTexts: boolean;
  /** The database is rebuilt before. */
  readonly rebuilds: boolean;
  /** A run is killed; which, and when as a share of its length. */
  readonly killed: { readonly verb: "ingest" | "prune"; readonly share: number } | undefined;
};

/** The days of a plan, all random draws from its seed. */
export function listDays(plan: Plan): DayPlan[] {
  const random = newRandom(plan.seed, "nights of a lake");
  return Array.from({ length: plan.days }, (_, i) => makeDay(i + 1, plan, random));
}

function makeDay(number: number, plan: Plan, random: Random): DayPlan {
  const { days, kept } = plan;
  const isKilled = random.chance(0.08);
  const killed = { verb: random.pick(["ingest", "prune"] as const), share: random.next() };
  return {
    number,
    nowMs: firstMs + number * dayMs + 2 * hourMs,
    // Never two days in a row: events that are late by two days would have left the look-back by then.
    isDown: random.chance(0.06) && number % 2 === 0 && number < days - 1,
    // Every third day: rewriting a database is the most expensive part of such a small day.
    prunes: number > kept && number % 3 === 0,
    readsTexts: number % Math.min(7, kept) === 0,
    rebuilds: number === Math.ceil(days / 2) + 1,
    killed: isKilled ? killed : undefined,
  };
}
