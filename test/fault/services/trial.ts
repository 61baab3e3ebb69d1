import { readFileSync } from "node:fs";
import { AuditlakeError, messageOf } from "../../../pipeline/errors.ts";
import type { Bed } from "../bed.ts";
import type { Query } from "../store.ts";
import { play, type Heard } from "./answer.ts";
import { finalOnForgotten, finalOnLess, notFinal, type Stored, type Stretch } from "./judge.ts";
import type { Plan } from "./plan.ts";

const eventsSql = readFileSync(new URL("stored.sql", import.meta.url), "utf8");
const windowsSql = readFileSync(new URL("windows.sql", import.meta.url), "utf8");

/** Reads a service in all its nights and returns what is wrong after each of them; the first wrong night is the last. */
export async function tryNights(plan: Plan, bed: Bed): Promise<string[]> {
  const heard: Heard = [];
  let night = 0;
  bed.players.set(
    plan.name,
    play(plan, heard, () => night),
  );
  let before: readonly Stretch[] = [];
  for (; night < plan.nights.length; night++) {
    const failures = await runNight(plan, bed, plan.nights[night]!);
    const stored = await storedOf(bed.ask, plan.name);
    const complaints = [
      ...failures,
      ...finalOnLess(plan, heard, night, stored),
      ...finalOnForgotten(plan, night, before, stored),
      ...(plan.lie === undefined ? notFinal(plan, night, stored) : []),
    ];
    if (complaints.length > 0)
      return complaints.map((complaint) => `${toldBy(plan)}, night ${night}: ${complaint}`);
    before = stored.windows;
  }
  bed.players.delete(plan.name);
  return [];
}

// What goes wrong with a liar is a refusal, and right.
async function runNight({ name, source, lie }: Plan, bed: Bed, nowMs: number): Promise<string[]> {
  try {
    const { outcome } = await bed.ingest(name, source, nowMs);
    return lie === undefined ? outcome.failures.map(({ message }) => `failed: ${message}`) : [];
  } catch (error) {
    if (lie !== undefined && error instanceof AuditlakeError) return [];
    return [`failed: ${messageOf(error)}`];
  }
}

async function storedOf(ask: Query, name: string): Promise<Stored> {
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
