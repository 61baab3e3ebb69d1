import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstMs } from "./scheduled-runs/years.ts";
import type { Figure, Measured } from "./figure.ts";
import { hasEngine, reportsOnEngine } from "./lake-publications/engine.ts";
import { lakesDiffer, marksDiffer, reportsDiffer, readReports } from "./lake-publications/judge.ts";
import { playDays, type Played } from "./lake-publications/play.ts";
import { bytesBelow } from "./lake-publications/home.ts";

// At least this number of days is kept: the next run looks back over three of them.
const getKept = (days: number): number => Math.min(30, Math.max(4, Math.floor(days / 3)));

/**
 * A year of daily runs of a home that keeps 30 days and publishes the rest into its lake, beside one that prunes
 * nothing.
 */
export const lakePublicationsFigure: Figure = {
  name: "lake publications",
  unit: "publications",
  asked: "the home stays small, the lake and all reports are those of a home that prunes nothing",
  long: 365,
  short: 5,
  perSeed: 365,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-lake-days-"));
  try {
    const plan = { seed, days: count, kept: getKept(count) };
    const played = await playDays(folder, plan, report);
    using _pruned = played.pruned;
    using _twin = played.twin;
    const failures = [...played.failures, ...listGrowth(played.sizes, plan.kept)];
    failures.push(...(await judge(played, report)));
    const seeded = failures.map((failure) => `seed ${seed}: ${failure}`);
    return { done: played.sizes.length, failures: seeded, note: getNote(played) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The largest of the last third against the largest of the first days that were all kept; the ledger grows a little.
const maxGrowth = 1.5;

function listGrowth(sizes: readonly number[], kept: number): string[] {
  if (sizes.length < 4 * kept) return [];
  const early = Math.max(...sizes.slice(kept, 2 * kept));
  const late = Math.max(...sizes.slice(-Math.floor(sizes.length / 3)));
  if (late <= early * maxGrowth) return [];
  return [`the home went from ${mb(early)} to ${mb(late)}`];
}

const daysForEngine = 60;
// Each home has its own runs and reads, with ids drawn by chance.
const ofOwnRuns = ["duplicate_records", "quarantined_records", "windows_not_final"];

/** Lists the differences between the two homes, their lakes and the reports over the whole time, a line each. */
export async function judge(played: Played, report: (line: string) => void): Promise<string[]> {
  const { pruned, twin, truth, nowMs, sizes } = played;
  const range = [new Date(firstMs).toISOString(), new Date(nowMs).toISOString()] as const;
  const verified = await pruned.run(["lake", "verify"], nowMs);
  const found = verified.code === 0 ? [] : [`lake verify: ${verified.err}`];
  found.push(...(await marksDiffer(pruned.lake, truth)));
  found.push(...(await lakesDiffer(pruned.lake, twin.lake)));
  report(`${found.length} differences of the lakes`);
  // With few days this is skipped: starting an engine takes longer than the runs.
  if (hasEngine() && sizes.length >= daysForEngine) {
    const there = await reportsOnEngine(pruned, range, nowMs);
    found.push(...reportsDiffer(there, await readReports(twin, range, nowMs), ofOwnRuns));
  }
  return found;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function getNote({ sizes, pruned, twin, kills }: Played): string {
  const at = [60, 180, sizes.length].filter((day) => day <= sizes.length);
  const home = at.map((day) => `${mb(sizes[day - 1]!)} after ${day}`).join(", ");
  return `home ${home}, the twin's ${mb(bytesBelow(twin.home.root))}, the lake ${mb(bytesBelow(pruned.lake))}; ${kills} kills`;
}
