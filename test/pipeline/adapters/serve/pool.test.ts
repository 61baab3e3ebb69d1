import { DuckDBInstance } from "@duckdb/node-api";
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { BusyError, newPool, type Pool } from "../../../../pipeline/adapters/serve/pool.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { temporaryFolder } from "../../../support/load.ts";

// Real files, real databases; what is open is asked of the system.
const seed = Number(process.env["SERVE_SEED"] ?? 1);
const limits = { memoryLimit: "200MB", threads: 1 };

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let editions = 0;
beforeAll(async () => {
  folder = temporaryFolder();
  path = join(folder.path, "audit.duckdb");
  await publish();
});
afterAll(() => folder.remove());

// A new edition under the same name, as a publication puts it there.
async function publish(): Promise<number> {
  const draft = join(folder.path, `draft-${(editions += 1)}.duckdb`);
  const instance = await DuckDBInstance.create(draft);
  const connection = await instance.connect();
  await connection.run(`create table edition as select ${editions} as n`);
  connection.closeSync();
  instance.closeSync();
  renameSync(draft, path);
  return editions;
}

const hasDescriptors = existsSync("/proc/self/fd");

// Editions that this process has open, those without a name any more too.
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder.path) ? [file] : [];
    } catch {
      return [];
    }
  });
}

/** Makes each caller wait until that many have called. */
function gathering(size: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return async () => {
    const gathered = new Promise<void>((go) => waiting.push(go));
    if (waiting.length === size) for (const go of waiting.splice(0)) go();
    await gathered;
    await turn();
  };
}

// As a question does that spills what does not fit into memory.
function read(pool: Pool, until?: () => Promise<unknown>): Promise<number> {
  return pool.use(async (connection) => {
    const sql = "select n, current_setting('temp_directory') from edition";
    const [n, spill] = (await connection.runAndReadAll(sql)).getRows()[0]!;
    mkdirSync(String(spill), { recursive: true });
    await until?.();
    expect(existsSync(String(spill))).toBe(true);
    return Number(n);
  });
}

it.runIf(hasDescriptors)(
  "opens the newest published file for new readers, lets current readers finish, and closes the others",
  async () => {
    const random = newRandom(seed, "readers and publications");
    await using pool = newPool(path, limits);
    const readers: Promise<void>[] = [];
    const reading: (() => void)[] = [];
    const hold = (): Promise<void> => new Promise((go) => reading.push(go));
    const letOneGo = (): void => reading.splice(random.int(0, reading.length), 1)[0]?.();
    let left = 0;
    for (let i = 0; i < 40; i += 1) {
      if (random.int(0, 4) === 0) await publish();
      const asked = editions;
      // A later publication may be read, an earlier one may not be missed.
      const reader = read(pool, hold).then((n) => expect(n).toBeGreaterThanOrEqual(asked));
      left += 1;
      readers.push(reader.finally(() => (left -= 1)));
      for (let turns = random.int(0, 9); turns > 0; turns -= 1) await turn();
      if (random.int(0, 1) === 0) letOneGo();
    }
    for (; left > 0; await turn()) letOneGo();
    await Promise.all(readers);
    expect(await read(pool)).toBe(editions);
    expect(openFiles()).toEqual([path]);
  },
);

it("retains nothing of a previous answer", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await using pool = newPool(path, limits);
  const answerQuery = async (): Promise<WeakRef<object>> =>
    new WeakRef(await pool.use(() => Promise.resolve({ rows: [] })));
  const answers = [await answerQuery(), await answerQuery()];
  await turn();
  collect();
  expect(answers.map((answer) => answer.deref())).toEqual([undefined, undefined]);
});

it.runIf(hasDescriptors)(
  "opens a file once for all simultaneous readers, and none before",
  async () => {
    await using pool = newPool(path, limits);
    expect(openFiles()).toEqual([]);
    const open: number[] = [];
    const four = gathering(4);
    const many = Array.from({ length: 12 }, () =>
      pool.use(async () => {
        await four();
        open.push(openFiles().length);
      }),
    );
    await Promise.all(many);
    expect(new Set(open)).toEqual(new Set([1]));
  },
);

it.runIf(hasDescriptors)(
  "waits for current readers at its end, and then has nothing open",
  async () => {
    const pool = newPool(path, limits);
    const [started, over] = [gathering(2), gathering(3)];
    const reading = async (): Promise<void> => {
      await started();
      await over();
    };
    const old = read(pool, reading);
    await started();
    await publish();
    const late = read(pool, reading);
    await started();
    let hasEnded = false;
    const end = pool[Symbol.asyncDispose]().then(() => (hasEnded = true));
    await turn();
    expect(hasEnded).toBe(false);
    await Promise.all([over(), end]);
    expect(openFiles()).toEqual([]);
    expect(await Promise.all([old, late])).toEqual([editions - 1, editions]);
    await expect(read(pool)).rejects.toThrow("shutting down");
  },
);

it("counts a reader before another file can be published", async () => {
  // Opened beforehand, so that the second one has its file before the first one has read from his.
  const opened = [await openPublished(path, limits)];
  await publish();
  opened.push(await openPublished(path, limits));
  await using pool = newPool(path, limits, undefined, () => Promise.resolve(opened.shift()!));
  const first = read(pool);
  await new Promise((done) => setImmediate(done));
  utimesSync(path, new Date(), new Date(Date.now() + 1000));
  const second = read(pool);
  expect(await Promise.all([first, second])).toEqual([editions - 1, editions]);
});

it("releases a reader whose query fails", async () => {
  await using pool = newPool(path, limits);
  const failing = Array.from({ length: 9 }, () =>
    pool.use((connection) => connection.run("select nothing")),
  );
  const results = await Promise.allSettled(failing);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  await publish();
  expect(await read(pool)).toBe(editions);
  if (hasDescriptors) expect(openFiles()).toEqual([path]);
});

it("runs four queries and queues sixty-four, and rejects the others", async () => {
  await using pool = newPool(path, limits);
  let [running, most] = [0, 0];
  const four = gathering(4);
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, () =>
      pool.use(async () => {
        most = Math.max(most, (running += 1));
        await four();
        running -= 1;
      }),
    ),
  );
  const sentAway = results.filter((result) => result.status === "rejected");
  expect([most, sentAway.length]).toEqual([4, 100 - 68]);
  for (const { reason } of sentAway) expect(reason).toBeInstanceOf(BusyError);
});
