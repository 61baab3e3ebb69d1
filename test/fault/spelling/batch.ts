import { newRandom } from "../../../fixtures/random.ts";
import { getMessage } from "../../../pipeline/base/errors.ts";
import { inBed, buildSource, type Bed } from "../bed.ts";
import { spell } from "./answer.ts";
import { getDifference, twoSpellings, type Spelling } from "./spelling.ts";
import { makeRecord, type Record } from "./values.ts";

/** A log, and the two ways in which it is written. */
export type Plan = {
  readonly seed: number;
  /** What the service holds at each of the two reads. */
  readonly logs: readonly [readonly Record[], readonly Record[]];
  readonly spellings: readonly [Spelling, Spelling];
  readonly startMs: number;
};

const hourMs = 3_600_000;

/** The plan of a seed: the same records at both reads. */
export function makePlan(seed: number): Plan {
  const random = newRandom(seed, "spelling");
  const startMs = Date.UTC(2026, random.int(0, 11), random.int(1, 28), random.int(0, 23));
  const spellings = twoSpellings(random);
  const records = Array.from({ length: random.int(3, 15) }, (_, i) => {
    const record = makeRecord(random, i, startMs / 1000 + random.int(0, 3599));
    // Two equal events without an id; on one page, so that they do not count as one that moved.
    const isTwice = record.get("id")!.is === "nothing" && random.chance(0.2);
    return isTwice && spellings.every(({ pageSize }) => pageSize === 100)
      ? [record, record]
      : [record];
  }).flat();
  return { seed, logs: [records, records], spellings, startMs };
}

/**
 * Reads the log of each seed in both notations; returns a line for each second read with additional or missing
 * events.
 */
export async function runBatch(plans: readonly Plan[]): Promise<string[]> {
  return inBed(async (bed) => {
    const failures: string[] = [];
    for (const plan of plans) {
      const complaint = await readTwice(plan, bed);
      if (complaint !== undefined) failures.push(`seed ${plan.seed}: ${complaint}`);
    }
    return failures;
  });
}

export async function readTwice(
  { seed, logs, spellings, startMs }: Plan,
  bed: Bed,
): Promise<string | undefined> {
  const name = `spelled-${seed}`;
  const source = buildSource({ window: hourMs, lookback: hourMs, grace_period: "1m" });
  let nowMs = startMs + hourMs;
  const difference = getDifference(...spellings);
  try {
    for (const [run, log] of logs.entries()) {
      // Early in the next window: that one is asked for, too, and holds nothing.
      nowMs = startMs + hourMs + 120_000 + run * 60_000;
      bed.players.set(
        name,
        spell(
          log,
          () => spellings[run]!,
          () => nowMs,
        ),
      );
      const { failures: failed } = await bed.ingest(name, source, nowMs);
      if (failed.length > 0) return `${difference}: failed: ${failed[0]!.message}`;
    }
  } catch (error) {
    return `${difference}: failed: ${getMessage(error)}`;
  }
  const runs = await bed.ask(
    `select * from ingest_runs where source = '${name}' order by started_at`,
  );
  const [first, second] = runs.map((run) => ({
    inserted: Number(run["inserted"]),
    quarantined: Number(run["quarantined"]),
    missing: Number(run["missing"] ?? run["vanished"]),
  }));
  if (first!.inserted !== logs[0].length)
    return `first read: ${first!.inserted} of ${logs[0].length} new, ${first!.quarantined} unreadable`;
  if (second!.inserted + second!.missing + second!.quarantined === 0) return undefined;
  return `${difference}: ${second!.inserted} new, ${second!.missing} missing, ${second!.quarantined} unreadable of ${logs[1].length}`;
}
