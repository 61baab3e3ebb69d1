import { setTimeout as wait } from "node:timers/promises";
import { newRandom } from "../../fixtures/random.ts";
import { openPublished, type Database } from "../../pipeline/core/store/open.ts";
import { limits, look, buildQuery, type Seen } from "./store.ts";

// A process that reads the published file as often as requested. It opens the file each time and queries it several
// times, some time apart. It also keeps a version open as notebooks do, over several publications.

/** So many reads, spread over about so many milliseconds. */
export type ReadOrder = { readonly path: string; readonly reads: number; readonly overMs: number };

export type ReadReport = {
  readonly seen: readonly Seen[];
  readonly failures: readonly string[];
  readonly longestMs: number;
};

type Kept = { readonly database: Database; readonly seen: Seen };

const random = newRandom(Number(process.argv[2]), "reader");
const chanceToLetGo = 0.2;
let kept: Kept | undefined;

process.on("message", (order: ReadOrder) => {
  void readAll(order).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit(0));

async function readAll({ path, reads, overMs }: ReadOrder): Promise<ReadReport> {
  const seen: Seen[] = [];
  const failures: string[] = [];
  let longestMs = 0;
  for (let i = 0; i < reads; i++) {
    const start = performance.now();
    try {
      const found = await readOnce(path);
      seen.push(found);
      failures.push(...found.complaints);
    } catch (error) {
      failures.push(String(error));
    }
    const ms = performance.now() - start;
    longestMs = Math.max(longestMs, ms);
    await wait(Math.max(0, (2 * random.next() * overMs) / reads - ms));
  }
  failures.push(...(await lookAgain(path).catch((error: unknown) => [String(error)])));
  return { seen, failures, longestMs };
}

async function readOnce(path: string): Promise<Seen> {
  await using database = await openPublished(path, limits);
  const before = await look(buildQuery(database));
  if (random.chance(0.2)) await wait(random.int(1, 30));
  const after = await look(buildQuery(database));
  return sameOrComplaint(before, after, "within one opening");
}

// An opened version stays unchanged, regardless of later publications.
async function lookAgain(path: string): Promise<readonly string[]> {
  if (kept === undefined) {
    const database = await openPublished(path, limits);
    kept = { database, seen: await look(buildQuery(database)) };
    return [];
  }
  const now = await look(buildQuery(kept.database));
  const { complaints } = sameOrComplaint(kept.seen, now, "while it was kept open");
  if (random.chance(chanceToLetGo)) {
    await kept.database[Symbol.asyncDispose]();
    kept = undefined;
  }
  return complaints;
}

function sameOrComplaint(before: Seen, after: Seen, when: string): Seen {
  if (before.version === after.version && before.digest === after.digest) return after;
  const change = `${when} version ${before.version} became ${after.version}`;
  return { ...after, complaints: [...after.complaints, change] };
}
