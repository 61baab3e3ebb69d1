import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../../../../pipeline/adapters/serve/ask.ts";
import type { Pool } from "../../../../pipeline/adapters/serve/pool.ts";

let connection: DuckDBConnection;
beforeAll(async () => void (connection = await (await DuckDBInstance.create()).connect()));
afterAll(() => connection.closeSync());

const pool: Pool = {
  use: (work) => work(connection),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
const here = new AbortController().signal;
const endless = "select sum(a.range * b.range) from range(1000000) as a, range(1000000) as b";
const runAsk = (timeoutMs: number, gone: AbortSignal, sql: string): Promise<unknown> =>
  ask({ pool, timeoutMs }, gone, (lent) => lent.runAndReadAll(sql));

it("reports a time limit only if a query exceeded it", async () => {
  await expect(runAsk(50, here, endless)).rejects.toThrow(
    /^this took longer than 0.05 s and was stopped; choose a shorter range$/,
  );
  await expect(runAsk(60_000, here, "select error('own fault')")).rejects.toThrow(/own fault/);
});

it("ends a query whose client leaves just before it starts", async () => {
  const gone = new AbortController();
  const answer = ask({ pool, timeoutMs: 60_000 }, gone.signal, (lent) => {
    gone.abort();
    return lent.runAndReadAll(endless);
  });
  await expect(answer).rejects.toThrow(/interrupt/i);
});

it("ends a query whose client has left, with the database's own error", async () => {
  const gone = new AbortController();
  const answer = runAsk(60_000, gone.signal, endless);
  setImmediate(() => gone.abort());
  await expect(answer).rejects.toThrow(/interrupt/i);
  await expect(runAsk(60_000, here, "select 1")).resolves.toBeDefined();
});
