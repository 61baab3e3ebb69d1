import { expect, it, vi } from "vitest";
import { getMessage } from "../../../../pipeline/base/errors.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { runInterruptibly, runInTransaction } from "../../../../pipeline/base/sql/transaction.ts";

const limits = { memoryLimit: "200MB", threads: 1 };
const long =
  "select count(*) from range(1000000) a, range(1000000) b where a.range * b.range % 7 = 9";

it("an interrupt ends a running statement, and each following one", async () => {
  await using database = await openInMemory(limits);
  const { connection } = database;
  const stop = new AbortController();
  const seen: string[] = [];
  const note = (error: unknown): void => void seen.push(getMessage(error));
  const work = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) await connection.run(long).catch(note);
    throw new Error("both were broken off");
  };
  const done = runInterruptibly(connection, stop.signal, "interrupted: nothing was changed", work);
  setImmediate(() => stop.abort());
  await expect(done).rejects.toMatchObject({
    message: "interrupted: nothing was changed",
    exitCode: 130,
  });
  expect(seen).toEqual([expect.stringMatching(/^INTERRUPT/), expect.stringMatching(/^INTERRUPT/)]);
  expect((await connection.runAndReadAll("select 1")).getRows()).toEqual([[1]]);
});

it("an interrupt does not affect the rollback of a transaction", async () => {
  await using database = await openInMemory(limits);
  const { connection } = database;
  await connection.run("create table numbers (n bigint)");
  const stop = new AbortController();
  const run = connection.run.bind(connection);
  const interrupt = vi.spyOn(connection, "interrupt");
  const seen: number[] = [];
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(connection, "run").mockImplementation((sql, ...rest) => {
    if (sql !== "rollback") return run(sql, ...rest);
    seen.push(interrupt.mock.calls.length);
    vi.advanceTimersByTime(1000);
    seen.push(interrupt.mock.calls.length);
    return run(sql, ...rest);
  });
  try {
    const work = (): Promise<unknown> =>
      runInTransaction(connection, async () => {
        await connection.run("insert into numbers values (1)");
        setImmediate(() => stop.abort());
        return connection.run(long);
      });
    let isDone = false;
    const done = runInterruptibly(connection, stop.signal, "interrupted", work).finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    // The first interrupt may come before the statement has started, and is lost then.
    while (!isDone) {
      await new Promise(setImmediate);
      vi.advanceTimersByTime(20);
    }
    await expect(done).rejects.toMatchObject({ exitCode: 130 });
  } finally {
    vi.useRealTimers();
  }
  expect(seen).toEqual([expect.any(Number), seen[0]]);
  expect((await connection.runAndReadAll("select n from numbers")).getRows()).toEqual([]);
});

it("an interrupt before the start prevents the statement", async () => {
  await using database = await openInMemory(limits);
  let hasStarted = false;
  const work = async (): Promise<void> => void (hasStarted = true);
  const done = runInterruptibly(database.connection, AbortSignal.abort(), "interrupted", work);
  await expect(done).rejects.toMatchObject({ exitCode: 130 });
  expect(hasStarted).toBe(false);
});

it("a failure without an interrupt is unchanged, and so is a result before it", async () => {
  await using database = await openInMemory(limits);
  const { connection } = database;
  const stop = new AbortController();
  const failing = (): Promise<never> => Promise.reject(new Error("no room"));
  await expect(runInterruptibly(connection, stop.signal, "interrupted", failing)).rejects.toThrow(
    /^no room$/,
  );
  const abortLast = async (): Promise<number> => {
    await connection.run("select 1");
    stop.abort();
    return 7;
  };
  expect(await runInterruptibly(connection, stop.signal, "interrupted", abortLast)).toBe(7);
});
