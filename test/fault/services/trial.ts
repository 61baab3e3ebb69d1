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

/** A service after its runs. */
export type Trial = {
  readonly plan: Plan;
  readonly heard: Heard;
  /** Intervals of which a run returned nothing certain. */
  readonly unsaid: readonly Refused[];
  /** The last run, and what was stored then. */
  readonly runIndex: number;
  readonly stored: Stored;
  /** What is wrong, one line each. */
  readonly complaints: readonly string[];
};

/** Reads a service in its runs and checks the store after each; stops after the first wrong run. */
export async function tryRuns(plan: Plan, bed: Bed): Promise<Trial> {
  const heard: Heard = [];
  const refused: Refused[] = [];
  const unsaid: Refused[] = [];
  let runIndex = 0;
  let stored: Stored = { events: [], windows: [] };
  let complaints: readonly string[] = [];
  bed.players.set(
    plan.name,
    play(plan, heard, () => runIndex),
  );
  for (; runIndex < plan.runTimes.length && complaints.length === 0; runIndex++) {
    const { failures, intervals } = await runOnce(plan, bed, plan.runTimes[runIndex]!);
    refused.push(...inRun(intervals, runIndex));
    const before = stored.windows;
    stored = await readStored(bed.ask, plan.name);
    unsaid.push(...inRun([...intervals, ...leftUnsaid(plan, runIndex, before)], runIndex));
    unsaid.push(...inRun(hiddenArrivals(plan, runIndex, stored), runIndex));
    const wrong = [
      ...failures,
      ...finalOnLess(plan, heard, unsaid, runIndex, stored),
      ...finalThoughRefused(refused, runIndex, before, stored),
      ...finalOnForgotten(plan, runIndex, before, stored),
      ...(plan.misbehavior === undefined ? notFinal(plan, runIndex, stored) : []),
    ];
    complaints = wrong.map((complaint) => `${describePlan(plan)}, run ${runIndex}: ${complaint}`);
  }
  bed.players.delete(plan.name);
  return { plan, heard, unsaid, runIndex: runIndex - 1, stored, complaints };
}

/** Returns the faults of an incomplete interval that `status` calls final. */
export function listIncomplete(
  { plan, heard, unsaid, runIndex, stored }: Trial,
  from: string,
  to: string,
): string[] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const { window: windowMs } = plan.source;
  const first = Math.floor(fromMs / windowMs);
  // Window by window: late events for one may not be requested any more while others are.
  const windows: Interval[] = Array.from(
    { length: Math.ceil(toMs / windowMs) - first },
    (_, i): Interval => ({
      startMs: Math.max(fromMs, (first + i) * windowMs),
      endMs: Math.min(toMs, (first + i + 1) * windowMs),
      state: "finalized",
      status: "finalized",
    }),
  );
  const wrong = finalOnLess(plan, heard, unsaid, runIndex, { events: stored.events, windows });
  return wrong.map((complaint) => `${describePlan(plan)}, status: ${complaint}`);
}

function inRun(intervals: RunResult["intervals"], runIndex: number): Refused[] {
  return intervals.map(({ startMs, endMs }) => ({ startMs, endMs, runIndex }));
}

type RunResult = {
  readonly failures: readonly string[];
  readonly intervals: readonly { readonly startMs: number; readonly endMs: number }[];
};

// A misbehaving service may be refused.
async function runOnce(
  { name, source, misbehavior }: Plan,
  bed: Bed,
  nowMs: number,
): Promise<RunResult> {
  try {
    const { failures: failed } = await bed.ingest(name, source, nowMs);
    const intervals = failed.map(({ window }) => window);
    if (misbehavior !== undefined) return { failures: [], intervals };
    return { failures: failed.map(({ message }) => `failed: ${message}`), intervals };
  } catch (error) {
    if (misbehavior === undefined || !(error instanceof AuditlakeError))
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
      status: String(row["status"]),
    })),
  };
}

function describePlan({ manners, misbehavior, source }: Plan): string {
  const { style, shape, range } = manners;
  const asked =
    source.audits.paging.style === style ? style : `${style} read as ${source.audits.paging.style}`;
  return `${misbehavior?.name ?? "well_behaved"} (${asked}, ${shape}, range ${range.how})`;
}
