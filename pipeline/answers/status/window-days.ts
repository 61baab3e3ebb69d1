import type { DuckDBConnection } from "@duckdb/node-api";
import type { Facts } from "../../base/sql/facts.ts";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { formatDay, fromTimestamp, toTimestamp } from "../../base/time/text.ts";

/** How far a day was read, from the worst: a gap, not read, still open, read once, verified. */
export const dayStates = ["gap", "unread", "open", "closed", "verified"] as const;
export type DayState = (typeof dayStates)[number];

/** A day of a source: its events, and the worst state of its windows. */
export type WindowDay = { readonly day: string; readonly events: number; readonly state: DayState };

export type TimedWindow = {
  readonly state: string;
  readonly startMs: number;
  readonly endMs: number;
};

const dayMs = 86_400_000;
const windowShape = { source: text, state: text, windowStart: text, windowEnd: text };
const dayShape = { source: text, day: text, events: count };

/**
 * Reads the last days of each source with their events and the state of their windows, on a connection that has listed
 * the known windows before.
 */
export async function readWindowDays(
  connection: DuckDBConnection,
  source: string | undefined,
  gapsOf: ReadonlyMap<string, readonly Facts[]>,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<Map<string, WindowDay[]>> {
  const startMs = Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs;
  const values = { since: toTimestamp(startMs), source: source ?? null };
  const path = "queries/pages/pipeline.sql";
  const windows = await queryRows(connection, `${path}#windows`, windowShape, values);
  const counted = await queryRows(connection, `${path}#days`, dayShape, values);
  const names = new Set([...windows, ...counted].map((row) => row.source));
  const find = (name: string): WindowDay[] => {
    const own = windows
      .filter((row) => row.source === name)
      .map(({ state, windowStart, windowEnd }) => ({
        state,
        startMs: Date.parse(windowStart),
        endMs: Date.parse(windowEnd),
      }));
    const gaps = (gapsOf.get(name) ?? []).map(readGap);
    const events = new Map(
      counted.filter((row) => row.source === name).map((row) => [row.day, row.events]),
    );
    return Array.from({ length: days }, (_, n) => {
      const dayStart = startMs + n * dayMs;
      const day = formatDay(dayStart);
      return { day, events: events.get(day) ?? 0, state: judgeDay(dayStart, [...own, ...gaps]) };
    });
  };
  return new Map([...names].map((name) => [name, find(name)]));
}

function readGap(gap: Facts): TimedWindow {
  const read = (name: string): number => fromTimestamp(String(gap[name]).replace(/Z$/, ""));
  return { state: "gap", startMs: read("gap_start"), endMs: read("gap_end") };
}

const statesOfWindows: Readonly<Record<string, DayState>> = {
  gap: "gap",
  open: "open",
  closed: "closed",
  finalized: "verified",
  accepted: "verified",
};

/** The worst state of the windows that overlap a day; `unread` where none does. */
export function judgeDay(dayStart: number, windows: readonly TimedWindow[]): DayState {
  const found = windows
    .filter(({ startMs, endMs }) => startMs < dayStart + dayMs && endMs > dayStart)
    .map(({ state }) => statesOfWindows[state] ?? "open");
  return dayStates.find((state) => found.includes(state)) ?? "unread";
}
