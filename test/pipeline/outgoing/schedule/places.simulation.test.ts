import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startDestination,
  type Destination,
} from "../../../../fixtures/destinations/destination.ts";
import { heard } from "../../../support/heard.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// A limit of jobs at a time holds for jobs that cron starts, each in a process of its own.
let home: TestHome;
let receiver: Destination;
const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(Math.min(ms, 100), undefined, signal && { signal });
let waiting: (() => void)[] = [];
let [here, most] = [0, 0];
beforeAll(async () => {
  home = newHome();
  expect((await home.load([{ time: 1, event_name: "job_kill", id: "a" }])).code).toBe(0);
  receiver = await startDestination(async () => {
    most = Math.max(most, (here += 1));
    await new Promise<void>((done) => waiting.push(done));
    here -= 1;
    return { status: 204 };
  });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function runConfigured(parallel: number): string {
  const targets = Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((name) => [
      name,
      { type: "webhook", url: receiver.url, secret: "SECRET-hook" },
    ]),
  );
  const exports = Object.keys(targets).map((to) => {
    return [to, { cron: "@daily", export: { table: "events", to } }] as const;
  });
  const jobs = { ...Object.fromEntries(exports), load: { cron: "@daily", ingest: {} } };
  const config = { targets, schedule: { parallel, jobs } };
  return home.write("auditlake.json", JSON.stringify(config));
}

async function letGo(): Promise<void> {
  await expect.poll(() => waiting.length, { timeout: 60_000 }).toBeGreaterThan(0);
  const [first, ...others] = waiting;
  waiting = others;
  first!();
}

test(
  "jobs that cron starts at once are limited in number, and an ingest does not wait for them",
  { timeout: 120_000 },
  async () => {
    const file = runConfigured(2);
    const start = (job: string) =>
      home.run(["--config", file, "schedule", "run", "--scheduled", job], { sleep });
    const first = ["a", "b"].map(start);
    await expect.poll(() => here, { timeout: 60_000 }).toBe(2);
    const third = start("c");
    // No source is configured: that it fails shows that it ran.
    expect((await start("load")).err).toMatch(/load: failed/);
    expect([here, most]).toEqual([2, 2]);
    for (let i = 0; i < 3; i++) await letGo();
    for (const each of [...first, third]) expect((await each).code).toBe(0);
    expect((await third).err).toMatch(/^c: waiting, because 2 jobs are running$/m);
    expect(most).toBe(2);
  },
);

test("a job that is interrupted while it waits was not started", { timeout: 120_000 }, async () => {
  const file = runConfigured(1);
  const controller = new AbortController();
  const argv = ["--config", file, "schedule", "run", "--scheduled"];
  const first = home.run([...argv, "d"], { sleep });
  await expect.poll(() => here, { timeout: 60_000 }).toBe(1);
  const { stream: stderr, text } = heard();
  const second = home.run([...argv, "e"], { sleep, stderr, signal: controller.signal });
  await expect.poll(text, { timeout: 60_000 }).toMatch(/^e: waiting, because 1 jobs are running$/m);
  controller.abort();
  expect((await second).code).toBe(130);
  await letGo();
  expect((await first).code).toBe(0);
  const targets = receiver.calls.map(({ body }) => (JSON.parse(body) as { target: string }).target);
  expect(targets.toSorted()).toEqual(["a", "b", "c", "d"]);
});
