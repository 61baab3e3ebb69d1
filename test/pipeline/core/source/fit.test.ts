import { describe, expect, it } from "vitest";
import { newRandom, type Random } from "../../../../fixtures/random.ts";
import {
  applyProposal,
  checkFit,
  listProposals,
  type Cadence,
} from "../../../../pipeline/core/source/fit.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const days = 60;

/** Simulates runs: each run reads what is closed and not final yet; true if one is deleted before that. */
function loses({ windowMs, graceMs, confirm }: Cadence, limitMs: number, runs: number[]): boolean {
  const firstMs = runs[0]!;
  const lastMs = runs.at(-1)!;
  let next = 0;
  for (let startMs = 0; startMs < lastMs; startMs += windowMs) {
    const closesMs = startMs + windowMs + graceMs;
    if (closesMs <= firstMs || closesMs > lastMs) continue;
    let reads = 0;
    let isForgotten = false;
    while (runs[next]! < closesMs) next++;
    for (const atMs of runs.slice(next, next + 2)) {
      if (reads >= 2) break;
      isForgotten = atMs - startMs > limitMs;
      if (isForgotten) break;
      reads += confirm ? 2 : 1;
    }
    if (isForgotten) return true;
  }
  return false;
}

function every(everyMs: number, phaseMs: number): number[] {
  const count = Math.ceil((days * dayMs) / everyMs);
  return Array.from({ length: count }, (_, i) => phaseMs + i * everyMs);
}

function draw(random: Random): Cadence & { readonly runs: { readonly everyMs: number } } {
  return {
    retentionMs: random.chance(0.9)
      ? random.int(6, 240) * hourMs + random.int(0, 59) * minuteMs
      : undefined,
    windowMs: random.pick([0.25, 1, 2, 4, 6, 8, 12, 24, 48]) * hourMs,
    graceMs: random.pick([0, 10, 60, 180]) * minuteMs,
    lookbackMs: random.pick([1, 2, 3]) * dayMs,
    runs: { everyMs: random.pick([0.5, 1, 3, 5, 6, 8, 12, 24, 48]) * hourMs },
    confirm: random.chance(0.3),
  };
}

// Runs may begin at any time of the day, also right before a window closes.
function makePhases(
  { windowMs, graceMs, runs }: ReturnType<typeof draw>,
  random: Random,
): number[] {
  const chance = Array.from({ length: 6 }, () => Math.floor(random.next() * runs.everyMs));
  return [...chance, (windowMs + graceMs - 1) % runs.everyMs];
}

describe("two reads before the service's retention ends", () => {
  it("fit an interval of runs only if no phase of it loses anything in 60 days", () => {
    const seen = new Set<boolean>();
    for (let seed = 1; seed <= 150; seed++) {
      const random = newRandom(seed, "fit");
      const reads = draw(random);
      const { fits, limitMs } = checkFit(reads);
      const lost = makePhases(reads, random).some((phaseMs) =>
        loses(reads, limitMs, every(reads.runs.everyMs, phaseMs)),
      );
      expect({ seed, lost, reads }).toEqual({ seed, lost: !fits, reads });
      seen.add(fits);
    }
    expect(seen.size).toBe(2);
  });

  it("fit the times of runs only if these lose nothing", () => {
    const seen = new Set<boolean>();
    for (let seed = 1; seed <= 200; seed++) {
      const random = newRandom(seed, "moments");
      const reads = draw(random);
      const atMs = every(reads.runs.everyMs, 0)
        .map((ms) => ms + Math.floor(random.next() * reads.runs.everyMs * 0.5))
        .slice(0, 200);
      const known = { ...reads, runs: { atMs } };
      const { fits, limitMs } = checkFit(known);
      expect({ seed, lost: loses(reads, limitMs, atMs) }).toEqual({ seed, lost: !fits });
      seen.add(fits);
    }
    expect(seen.size).toBe(2);
  });

  it("are achieved by a proposal that changes something", () => {
    let proposed = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const random = newRandom(seed, "proposals");
      const reads = draw(random);
      if (checkFit(reads).fits) continue;
      for (const proposal of listProposals(reads)) {
        const better = applyProposal(reads, proposal) as typeof reads;
        const { fits, limitMs } = checkFit(better);
        expect({ seed, proposal, fits }).toEqual({ seed, proposal, fits: true });
        expect(better).not.toEqual(reads);
        for (const phaseMs of makePhases(better, random).slice(-3))
          expect(loses(better, limitMs, every(better.runs.everyMs, phaseMs))).toBe(false);
        proposed++;
      }
    }
    expect(proposed).toBeGreaterThan(20);
  });

  it("are impossible for windows of a day in a log of 24 hours", () => {
    const day = { windowMs: dayMs, graceMs: hourMs, lookbackMs: 2 * dayMs, confirm: false };
    const reads: Cadence = { ...day, retentionMs: dayMs, runs: { everyMs: dayMs } };
    expect(checkFit(reads)).toEqual({ fits: false, worstAgeMs: 73 * hourMs, limitMs: dayMs });
    expect(listProposals(reads)).toEqual([{ runsPerDay: 3, windowMs: 6 * hourMs }]);
    expect(listProposals({ ...reads, retentionMs: hourMs })).toEqual([]);
    expect(checkFit({ ...reads, retentionMs: undefined })).toMatchObject({
      fits: true,
      limitMs: 4 * dayMs,
    });
  });
});
