import { fork, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { ask } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import { newTestbed, type Testbed, type Verb } from "./testbed.ts";
import { lastError } from "./process.ts";
import type { ReadOrder, ReadReport } from "./readers-process.ts";
import { compare, withPublished, type Seen } from "./store.ts";

const readers = 2;
const long = { reads: 10_000, publishes: 200 };
// A seed is 300 of the 10,000.
const short = { reads: 60, publishes: 2 };
const readerFile = fileURLToPath(new URL("readers-process.ts", import.meta.url));

/** Processes that read the published file all the time while real runs replace it. */
export const readersFigure: Figure = {
  name: "readers",
  unit: "reads",
  asked: "0 errors, 0 mixed versions",
  long: long.reads,
  short: short.reads,
  perSeed: 300,
  run,
};

type Tally = {
  reads: number;
  publishes: number;
  longestMs: number;
  /** How long the last run of a verb took: the reads beside the next one are spread over that. */
  readonly lastMs: Record<"ingest" | "publish", number>;
  readonly failures: string[];
  /** What each version held, as the first reader of it saw it. */
  readonly versions: Map<string, Seen>;
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const { reads, publishes } = count < long.reads ? short : long;
  const readsEach = Math.max(1, Math.round(reads / publishes / readers));
  const rounds = Math.ceil(count / readsEach / readers);
  const random = newRandom(seed, "readers");
  await using bed = await newTestbed(seed, rounds);
  await publishOnce(bed, "ingest");
  const crew = Array.from({ length: readers }, (_, i) => fork(readerFile, [String(seed + i)]));
  const tally: Tally = {
    reads: 0,
    publishes: 0,
    longestMs: 0,
    lastMs: { ingest: 1500, publish: 600 },
    failures: [],
    versions: new Map(),
  };
  try {
    for (let round = 0; round < rounds; round++) {
      await oneRound(bed, crew, readsEach, random, tally);
      if ((round + 1) % Math.ceil(rounds / 20) === 0)
        report(`${tally.reads} reads, ${tally.publishes} publishes`);
    }
  } finally {
    for (const reader of crew) reader.disconnect();
  }
  await publishOnce(bed, "ingest");
  const wrong = await withPublished(bed.home.published, (query) => compare(query, bed.truth));
  return {
    done: tally.reads,
    failures: [...tally.failures, ...wrong].map((failure) => `seed ${seed}: ${failure}`),
    note: `${tally.publishes} publishes, ${tally.versions.size} versions seen by ${readers} processes, longest read ${tally.longestMs.toFixed(0)} ms`,
  };
}

async function oneRound(
  bed: Testbed,
  crew: readonly ChildProcess[],
  reads: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const verb = random.chance(0.7) ? "ingest" : "publish";
  bed.grow();
  const before = statSync(bed.home.published).ino;
  const order: ReadOrder = { path: bed.home.published, reads, overMs: tally.lastMs[verb] };
  const asked = crew.map((reader) => ask<ReadReport>(reader, order));
  tally.lastMs[verb] = await publishOnce(bed, verb);
  const reports = await Promise.all(asked);
  if (statSync(bed.home.published).ino === before)
    tally.failures.push(`${verb} ended well, but published nothing`);
  else tally.publishes += 1;
  for (const report of reports) add(report, tally);
}

function add({ seen, failures, longestMs }: ReadReport, tally: Tally): void {
  tally.reads += seen.length;
  tally.longestMs = Math.max(tally.longestMs, longestMs);
  tally.failures.push(...failures);
  let events = 0;
  for (const found of seen) {
    const first = tally.versions.get(found.version) ?? found;
    tally.versions.set(found.version, first);
    if (first.digest !== found.digest)
      tally.failures.push(
        `version ${found.version} has the digests ${first.digest} and ${found.digest}`,
      );
    if (found.events < events) tally.failures.push(`${found.events} events after ${events}`);
    events = found.events;
  }
}

async function publishOnce(bed: Testbed, verb: Verb): Promise<number> {
  const ended = await bed.start(verb).ended;
  if (ended.code !== 0) throw new Error(`${verb} ended with ${ended.code}: ${lastError(ended)}`);
  return ended.ms;
}
