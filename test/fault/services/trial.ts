import { readFileSync } from "node:fs";
import { AuditlakeError, getMessage } from "../../../pipeline/base/errors.ts";
import type { Bed } from "../bed.ts";
import type { Query } from "../store.ts";
import { play, type Heard } from "./answer.ts";
import {
  finalOnForgotten,
  finalOnLess,
  finalThoughRefused,
  hiddenArrivals,
  leftUnsaid,
  notFinal,
  type Refused,
  type Stored,
  type Interval,
} from "./judge.ts";
import type { Plan } from "./plan.ts";

const eventsSql = readFileSync(new URL("stored.sql", import.meta.url), "utf8");
const windowsSql = readFileSync(new URL("windows.sql", import.meta.url), "utf8");

/** A service after its nights. */
export type Trial = {
  readonly plan: Plan;
  readonly heard: Heard;
  /** Intervals of which a night gave nothing that can be known. */
  readonly unsaid: readonly Refused[];
  /** The last night, and what was stored then. */
  readonly night: number;
  readonly stored: Stored;
  /** What is wrong, one line each. */
  readonly complaints: readonly string[];
};

/** Reads a service in its nights and looks at the store after each; the first wrong night is the last. */
export async function tryNights(plan: Plan, bed: Bed): Promise<Trial> {
  const heard: Heard = [];
  const refused: Refused[] = [];
  const unsaid: Refused[] = [];
  let night = 0;
  let stored: Stored = { events: [], windows: [] };
  let complaints: readonly string[] = [];
  bed.players.set(
    plan.name,
    play(plan, heard, () => night),
  );
  for (; night < plan.nights.length && complaints.length === 0; night++) {
    const { failures, intervals } = await runNight(plan, bed, plan.nights[night]!);
    refused.push(...inNight(intervals, night));
    const before = stored.windows;
    stored = await readStored(bed.ask, plan.name);
    unsaid.push(...inNight([...intervals, ...leftUnsaid(plan, night, before)], night));
    unsaid.push(...inNight(hiddenArrivals(plan, night, stored), night));
    const wrong = [
      ...failures,
      ...finalOnLess(plan, heard, unsaid, night, stored),
      ...finalThoughRefused(refused, night, before, stored),
      ...finalOnForgotten(plan, night, before, stored),
      ...(plan.lie === undefined ? notFinal(plan, night, stored) : []),
    ];
    complaints = wrong.map((complaint) => `${toldBy(plan)}, night ${night}: ${complaint}`);
  }
  bed.players.delete(plan.name);
  return { plan, heard, unsaid, night: night - 1, stored, complaints };
}

/** Where an interval that `status` calls final lacks something. */
export function lackingIn(
  { plan, heard, unsaid, night, stored }: Trial,
  from: string,
  to: string,
): string[] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const { window: windowMs } = plan.source;
  const first = Math.floor(fromMs / windowMs);
  // Window by window: what came late for one may be asked for no more while others are.
  const windows: Interval[] = Array.from(
    { length: Math.ceil(toMs / windowMs) - first },
    (_, i): Interval => ({
      startMs: Math.max(fromMs, (first + i) * windowMs),
      endMs: Math.min(toMs, (first + i + 1) * windowMs),
      state: "finalized",
      stands: "finalized",
    }),
  );
  const wrong = finalOnLess(plan, heard, unsaid, night, { events: stored.events, windows });
  return wrong.map((complaint) => `${toldBy(plan)}, status: ${complaint}`);
}

function inNight(intervals: Night["intervals"], night: number): Refused[] {
  return intervals.map(({ startMs, endMs }) => ({ startMs, endMs, night }));
}

type Night = {
  readonly failures: readonly string[];
  readonly intervals: readonly { readonly startMs: number; readonly endMs: number }[];
};

// What goes wrong with a liar is a refusal, and right.
async function runNight({ name, source, lie }: Plan, bed: Bed, nowMs: number): Promise<Night> {
  try {
    const { failures: failed } = await bed.ingest(name, source, nowMs);
    const intervals = failed.map(({ window }) => window);
    if (lie !== undefined) return { failures: [], intervals };
    return { failures: failed.map(({ message }) => `failed: ${message}`), intervals };
  } catch (error) {
    if (lie === undefined || !(error instanceof AuditlakeError))
      return { failures: [`failed: ${getMessage(error)}`], intervals: [] };
    return { failures: [], intervals: [{ startMs: -Infinity, endMs: Infinity }] };
  }
}

async function readStored(ask: Query, name: string): Promise<Stored> {
  const events = await ask(eventsSql.replace("{source}", name));
  const windows = await ask(windowsSql.replace("{source}", name));
  return {
    events: events.map((row) => ({
      timeMs: Number(row["time_ms"]),
      mark: String(row["mark"]),
      held: Number(row["held"]),
    })),
    windows: windows.map((row) => ({
      startMs: Number(row["start_ms"]),
      endMs: Number(row["end_ms"]),
      state: String(row["state"]),
      stands: String(row["stands"]),
    })),
  };
}

function toldBy({ manners, lie, source }: Plan): string {
  const { style, shape, range } = manners;
  const asked =
    source.audits.paging.style === style ? style : `${style} read as ${source.audits.paging.style}`;
  return `${lie?.name ?? "honest"} (${asked}, ${shape}, range ${range.how})`;
}
