import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFactsReader } from "../../../../pipeline/adapters/serve/frame-facts.ts";
import { openPool, type Pool } from "../../../../pipeline/adapters/serve/pool.ts";
import { readSettings } from "../../../../pipeline/base/home/settings.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

let home: TestHome;
let pool: Pool;
/** What a question waits for before it is answered. */
let gate: Promise<void>;
let site: Parameters<typeof newFactsReader>[0];
beforeEach(async () => {
  home = newHome();
  gate = Promise.resolve();
  await home.load([{ id: "a", time: 1_767_225_600, event_name: "job_kill" }]);
  const world = testWorld();
  const settings = readSettings({ home: home.home, logLevel: "info", progress: "none" }, world);
  pool = openPool(settings);
  const waiting: Pool = {
    ...pool,
    use: async (work, source) => {
      await gate;
      return pool.use(work, source);
    },
  };
  site = { settings, world, pool: waiting, timeoutMs: 30_000 };
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const publishAgain = (): void => {
  const published = join(home.home, "audit.duckdb");
  copyFileSync(published, `${published}.new`);
  renameSync(`${published}.new`, published);
};

it("reads status, sources and urgent findings", async () => {
  const read = newFactsReader(site);
  await vi.waitUntil(async () => (await read(undefined)) !== undefined, 20_000);
  const facts = await read(undefined);
  expect(facts).toMatchObject({ sources: ["default"], urgent: 0 });
  expect(facts?.status.level).toBe("imported");
});

it("gives no facts while they are read for the first time, then those of before", async () => {
  const read = newFactsReader(site);
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  expect(await read(undefined)).toBe(undefined);
  opened.resolve();
  await vi.waitUntil(async () => (await read(undefined)) !== undefined, 20_000);
  const first = await read(undefined);
  publishAgain();
  gate = new Promise(() => undefined);
  expect(await read(undefined)).toBe(first);
});

it("gives no facts where the published file cannot be read", async () => {
  rmSync(join(home.home, "audit.duckdb"));
  expect(await newFactsReader(site)(undefined)).toBe(undefined);
});
