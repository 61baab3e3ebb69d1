import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newFactsReader } from "../../../../pipeline/adapters/serve/frame-facts.ts";
import { openPool, type Pool } from "../../../../pipeline/adapters/serve/pool.ts";
import { readSettings } from "../../../../pipeline/base/home/settings.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

let home: TestHome;
let pool: Pool;
/** What a question waits for before it is answered. */
let gate: Promise<void> = Promise.resolve();

const readHome = (root: string) =>
  readSettings({ home: root, logLevel: "info", progress: "none" }, testWorld());

beforeAll(async () => {
  home = newHome();
  await home.load([{ id: "a", time: 1_767_225_600, event_name: "job_kill" }]);
  pool = openPool(readHome(home.home));
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function newReader(root = home.home): ReturnType<typeof newFactsReader> {
  const use: Pool["use"] = async (work, source) => {
    await gate;
    return pool.use(work, source);
  };
  const site = { settings: readHome(root), world: testWorld(), timeoutMs: 30_000 };
  return newFactsReader({ ...site, pool: { ...pool, use } });
}

const publishAgain = (): void => {
  const published = join(home.home, "audit.duckdb");
  copyFileSync(published, `${published}.new`);
  renameSync(`${published}.new`, published);
};

it("reads status, sources and urgent findings", async () => {
  const read = newReader();
  await vi.waitUntil(async () => (await read(undefined)) !== undefined, 20_000);
  const facts = await read(undefined);
  expect(facts).toMatchObject({ sources: ["default"], urgent: 0 });
  expect(facts?.status.level).toBe("imported");
});

it("gives no facts while they are read for the first time, then those of before", async () => {
  const read = newReader();
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  expect(await read(undefined)).toBe(undefined);
  opened.resolve();
  await vi.waitUntil(async () => (await read(undefined)) !== undefined, 20_000);
  const first = await read(undefined);
  publishAgain();
  const closed = Promise.withResolvers<void>();
  gate = closed.promise;
  expect(await read(undefined)).toBe(first);
  closed.resolve();
});

it("gives no facts where the published file cannot be read", async () => {
  expect(await newReader(join(home.folder, "none"))(undefined)).toBe(undefined);
});
