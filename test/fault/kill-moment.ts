import { watch } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../fixtures/random.ts";
import type { Testbed, Length, Verb } from "./testbed.ts";
import type { Ended, Started } from "./process.ts";

/**
 * Starts a command and kills it at a random moment of its usual duration. Half of the kills follow the clock, half a
 * change of a file, so that short but dangerous moments occur. The command may end first.
 */
export async function startAndKill(
  bed: Testbed,
  verb: Verb,
  usual: Length,
  random: Random,
): Promise<Ended> {
  return random.chance(0.5)
    ? atTime(bed, verb, makeMs(usual.ms, random))
    : (await killAtChange(bed.folder, () => bed.start(verb), random.int(1, usual.changes))).ended;
}

// The first moments are Node starting, where nothing can go wrong: few kills go there.
function makeMs(usualMs: number, random: Random): number {
  return usualMs * (random.chance(0.05) ? random.next() : 0.2 + random.next());
}

async function atTime(bed: Testbed, verb: Verb, ms: number): Promise<Ended> {
  const started = bed.start(verb);
  const over = new AbortController();
  const kill = wait(ms, undefined, { signal: over.signal }).then(started.kill, () => undefined);
  const ended = await started.ended;
  over.abort();
  await kill;
  return ended;
}

/** Kills what is started at a change of a file below a folder, 1 being the first; it may be done before. */
export async function killAtChange(
  folder: string,
  start: () => Started,
  change: number,
): Promise<{ readonly changes: number; readonly ended: Ended }> {
  const started = start();
  let changes = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    changes += 1;
    if (changes === change) started.kill();
  });
  const ended = await started.ended;
  watcher.close();
  return { changes, ended };
}

/** Runs a verb undisturbed and measures it. */
export async function readLength(bed: Testbed, verb: Verb): Promise<Length & { ended: Ended }> {
  const { changes, ended } = await killAtChange(bed.folder, () => bed.start(verb), Infinity);
  return { ms: ended.ms, changes, ended };
}
