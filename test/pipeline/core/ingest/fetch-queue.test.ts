import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import type { PlannedFetch } from "../../../../pipeline/core/ingest/plan-fetches.ts";
import type { LandResult, Fetch } from "../../../../pipeline/core/ingest/fetch.ts";
import { newFetchQueue, type FetchQueue } from "../../../../pipeline/core/ingest/fetch-queue.ts";

// The order of reads and the cutting of those that are too long, with a service that is a function.

const window = (from: number, to: number): PlannedFetch => ({
  startMs: from * 1000,
  endMs: to * 1000,
  splitsMs: [],
});
const findNamed = ({ window: { startMs, endMs }, round }: Fetch): string =>
  `${startMs / 1000}-${endMs / 1000}${round > 1 ? ` r${round}` : ""}`;
const newLanded = (task: Fetch): LandResult => ({
  manifest: { read_id: findNamed(task) } as Manifest,
});

async function drain(fetches: FetchQueue): Promise<string[]> {
  const names: string[] = [];
  for (let read = await fetches.next(); read !== undefined; read = await fetches.next())
    names.push("manifest" in read ? read.manifest.read_id : `failed: ${String(read.error)}`);
  return names;
}

/** Lands what holds at most `most` of the seconds given; what begins a read is its first second. */
function denseService(seconds: readonly number[], most: number) {
  const asked: string[] = [];
  const land = (task: Fetch): Promise<LandResult> => {
    asked.push(findNamed(task));
    const { startMs, endMs } = task.window;
    const inside = seconds.filter((s) => s * 1000 >= startMs && s * 1000 < endMs);
    const isTooLong = task.maySplit && inside.length > most;
    return Promise.resolve(
      isTooLong ? { givenUp: { firstPage: String(inside[0]), isInside: true } } : newLanded(task),
    );
  };
  return { asked, land };
}

describe("the queue of fetches", () => {
  it("returns them in the order of the plan, regardless of their duration", async () => {
    // The first ends after the second, and the third after the fourth.
    const ends = [0, 1, 2, 3, 4].map(() => Promise.withResolvers<void>());
    const awaited = new Map([
      [0, ends[1]!.promise],
      [2, ends[3]!.promise],
    ]);
    const plan = ends.map((_, i) => window(i, i + 1));
    let running = 0;
    let most = 0;
    const fetches = newFetchQueue(plan, 2, true, async (task) => {
      most = Math.max(most, (running += 1));
      const i = task.window.startMs / 1000;
      await awaited.get(i);
      running -= 1;
      ends[i]!.resolve();
      return newLanded(task);
    });
    expect(await drain(fetches)).toEqual(["0-1", "1-2", "2-3", "3-4", "4-5"]);
    expect(most).toBe(2);
  });

  it("returns failed ones too, and continues with the others", async () => {
    const fetches = newFetchQueue([window(0, 1), window(1, 2)], 1, true, (task) =>
      task.window.startMs === 0
        ? Promise.reject(new Error("no"))
        : Promise.resolve(newLanded(task)),
    );
    expect(await drain(fetches)).toEqual(["failed: Error: no", "1-2"]);
  });

  it("allows to repeat a request", async () => {
    const fetches = newFetchQueue([window(0, 4), window(4, 8)], 1, true, (task) =>
      Promise.resolve(newLanded(task)),
    );
    const first = await fetches.next();
    fetches.again(first!.fetch, undefined);
    expect((await drain(fetches)).sort()).toEqual(["0-4 r2", "4-8"]);
  });
});

describe("a window that is too long", () => {
  it("is read in parts that each fit", async () => {
    const { land } = denseService([0, 1, 2, 3, 4, 5, 6, 7], 3);
    const fetches = newFetchQueue([window(0, 8), window(8, 16)], 3, true, land);
    expect(await drain(fetches)).toEqual(["0-2", "2-4", "4-6", "6-8", "8-16"]);
  });

  it("is cut once if the window before it was cut the same way", async () => {
    const { land, asked } = denseService([0, 1, 2, 3, 4, 5, 6, 7], 3);
    const planned = { ...window(0, 8), splitsMs: [3000, 6000] };
    expect(await drain(newFetchQueue([planned], 3, true, land))).toEqual(["0-3", "3-6", "6-8"]);
    expect(asked).toHaveLength(4);
  });

  it("is cut down to the second, and that is read completely", async () => {
    const { land } = denseService([5, 5, 5, 5, 5], 2);
    expect(await drain(newFetchQueue([window(0, 8)], 2, true, land))).toEqual([
      "0-4",
      "4-5",
      "5-6",
      "6-8",
    ]);
  });

  it("is read completely if the service has no time range", async () => {
    const { land, asked } = denseService([0, 1, 2, 3], 1);
    expect(await drain(newFetchQueue([window(0, 4)], 2, false, land))).toEqual(["0-4"]);
    expect(asked).toHaveLength(1);
  });
});

describe("a service that ignores the window", () => {
  it("is detected by the halves, and its windows are read completely", async () => {
    const asked: Fetch[] = [];
    const fetches = newFetchQueue([window(0, 86_400), window(86_400, 172_800)], 4, true, (task) => {
      asked.push(task);
      return Promise.resolve(
        task.maySplit ? { givenUp: { firstPage: "same", isInside: false } } : newLanded(task),
      );
    });
    expect(await drain(fetches)).toEqual(["0-86400", "86400-172800"]);
    expect(fetches.ignoresWindows()).toBe(true);
    expect(asked.length).toBeLessThan(12);
  });

  it("is given up after a few cuts if each answer is different", async () => {
    let asked = 0;
    const plan = [window(0, 86_400), window(86_400, 172_800)];
    const fetches = newFetchQueue(plan, 4, true, (task) => {
      asked += 1;
      // Newest first, all of the last hour.
      const isInside = task.window.endMs === 172_800_000;
      return Promise.resolve({ givenUp: { firstPage: String(asked), isInside } });
    });
    const names = await drain(fetches);
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toContain("check sources.<name>.audits.window_params");
    expect(fetches.ignoresWindows()).toBe(false);
    expect(asked).toBeLessThan(20);
  });

  it("is not assumed if only the first page is too long, at any density", async () => {
    const { land } = denseService(
      Array.from({ length: 1024 }, (_, i) => i),
      2,
    );
    const fetches = newFetchQueue([window(0, 1024)], 4, true, async (task) => {
      const landing = await land(task);
      return "givenUp" in landing
        ? { givenUp: { firstPage: undefined, isInside: false } }
        : landing;
    });
    const parts = (await drain(fetches)).map((name) => name.split("-").map(Number));
    expect(parts.flatMap(([start, end]) => (end! - start! > 2 ? [[start, end]] : []))).toEqual([]);
    expect(parts.map(([start]) => start)).toEqual([0, ...parts.slice(0, -1).map(([, end]) => end)]);
    expect(parts.at(-1)![1]).toBe(1024);
  });

  it("is not suspected if the first half starts like the complete window", async () => {
    const { land } = denseService([0, 1, 2, 3, 4, 5, 6, 7], 1);
    const fetches = newFetchQueue([window(0, 8)], 2, true, land);
    expect(await drain(fetches)).toHaveLength(8);
    expect(fetches.ignoresWindows()).toBe(false);
  });
});

describe("a stop of the queue", () => {
  it("returns what is on disk, drops failures, and counts the rest", async () => {
    const release: (() => void)[] = [];
    const plan = [0, 1, 2, 3, 4, 5].map((i) => window(i, i + 1));
    const fetches = newFetchQueue(plan, 3, true, async (task) => {
      if (task.window.startMs === 1000) await new Promise<void>((done) => release.push(done));
      if (task.window.startMs === 1000) throw new Error("cut off");
      return newLanded(task);
    });
    expect((await fetches.next())?.fetch.window.startMs).toBe(0);
    await new Promise((done) => setImmediate(done));
    fetches.stop();
    release[0]!();
    const names = await drain(fetches);
    expect(names).not.toContain("failed: Error: cut off");
    const left = fetches.left().map(({ startMs }) => startMs / 1000);
    expect(left).toContain(1);
    expect([...names.map((name) => Number(name.split("-")[0])), ...left].sort()).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  it("makes no further cuts", async () => {
    const fetches = newFetchQueue([window(0, 8)], 1, true, () =>
      Promise.resolve({ givenUp: { firstPage: "a", isInside: true } }),
    );
    fetches.stop();
    expect(await fetches.next()).toBeUndefined();
    expect(fetches.left()).toEqual([{ startMs: 0, endMs: 8000 }]);
  });
});
