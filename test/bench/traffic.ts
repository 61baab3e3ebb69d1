import { makeTraffic, type Traffic } from "../../fixtures/traffic.ts";
import type { Figures } from "./figures.ts";
import { dayMs } from "./measure.ts";

/** What all cases are given. */
export type Context = {
  /** For scratch files. */
  readonly folder: string;
  /** So many events of a month, one on a line. */
  readonly file: string;
  readonly count: number;
  readonly rounds: number;
  readonly figures: Figures;
};

export const bin = new URL("../../pipeline/bin.ts", import.meta.url).pathname;
/** An environment in which runs parse query texts for as long as they do by default. */
export const byDefault: NodeJS.ProcessEnv = { ...process.env };
delete byDefault["AUDITLAKE_QUERY_TEXTS_TIME_LIMIT"];
delete byDefault["AUDITLAKE_FINDINGS"];
export const bareLoad = new URL("bare.ts", import.meta.url).pathname;

/** How many days the month has. */
export const monthDays = 30;

/** The beginning of the present day, where the traffic ends. */
export const today = Math.floor(Date.now() / dayMs) * dayMs;

/** A month of at least so many events. */
export function buildMonth(events: number): Traffic {
  return makeTraffic({
    seed: 1,
    from: today - monthDays * dayMs,
    to: today,
    eventsPerDay: Math.ceil((events * 1.02) / monthDays),
  });
}
