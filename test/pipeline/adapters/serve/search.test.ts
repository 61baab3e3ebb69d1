import { afterAll, beforeAll, expect, it } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { newPool, type Pool } from "../../../../pipeline/adapters/serve/pool.ts";
import { parseSearch, readAddress } from "../../../../pipeline/adapters/serve/events/address.ts";
import {
  searchEvents,
  type SearchProgress,
} from "../../../../pipeline/adapters/serve/events/find-events.ts";
import type { Site } from "../../../../pipeline/adapters/serve/site.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

// A search goes back interval by interval; it is compared with a filter over the records themselves.
const seed = Number(process.env["SERVE_SEED"] ?? 1);
const random = newRandom(seed, "events of three years");
const daySeconds = 86_400;
const until = Date.UTC(2026, 0, 1) / 1000;

type Known = { readonly id: string; readonly time: number; readonly user_email: string };

// Many are where one interval ends and the next starts, or a second beside.
const borders = [0.5, 1.5, 2.5, 7.5, 10.5, 15.5, 23.5, 42.5, 170.5, 682.5].flatMap((days) =>
  [-1, 0, 1].map((beside) => until - days * daySeconds + beside),
);
const times = [
  ...borders,
  ...Array.from({ length: 300 }, () => until - 1 - random.int(0, 1000 * daySeconds)),
];
const records = times.map((time, i): Known & { event_name: string } => ({
  id: `e${i}`,
  time,
  event_name: "job_kill",
  user_email: `${random.pick(["ann", "ann", "bob", "bob", "cyd"])}@example.com`,
}));

let home: TestHome;
let served: Served;
let pool: Pool;
beforeAll(async () => {
  home = newHome();
  await home.load(records);
  served = await serving(home);
  pool = newPool(resolveHome(home.home).published, { memoryLimit: "500MB", threads: 1 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const gone = new AbortController().signal;

// Each question takes as long as the step of the clock says.
function siteWith(stepMs: number, timeoutMs = 60_000): Site {
  let nowMs = until * 1000;
  const world = { now: () => (nowMs += stepMs) };
  return { pool, world, timeoutMs, asked: { add: () => undefined } } as unknown as Site;
}

async function search(site: Site, query: string, since = "2020-01-01"): Promise<SearchProgress[]> {
  const address = readAddress(new URLSearchParams(query));
  const asked = parseSearch(address, { since, until: "2026-01-01" }, until * 1000);
  const steps: SearchProgress[] = [];
  for await (const step of searchEvents({ site, gone }, asked)) steps.push(step);
  return steps;
}

const listTimes = ({ events }: SearchProgress): number[] =>
  events.map(({ timeMs }) => timeMs / 1000);
const newestFirst = (known: readonly Known[]): number[] =>
  known.map(({ time }) => time).toSorted((a, b) => b - a);

it.each([
  [0, "2020-01-01", 7],
  [249, "2020-01-01", 7],
  [250, "2025-07-01", 27],
])("finds each event once, the newest first, at %i ms a query", async (step, since, questions) => {
  const steps = await search(siteWith(step, 1e9), "person=cyd@example.com&fold=no", since);
  const cyd = records.filter(({ user_email: email }) => email === "cyd@example.com");
  const wanted = cyd.filter(({ time }) => time * 1000 >= Date.parse(since));
  expect(wanted.length).toBeLessThan(100);
  expect(listTimes(steps.at(-1)!)).toEqual(newestFirst(wanted));
  const reached = steps.map(({ reachedMs }) => reachedMs);
  expect(reached).toEqual(reached.toSorted((a, b) => b - a));
  expect(steps.map(({ isEnd }) => isEnd)).toEqual([...steps.slice(1).map(() => false), true]);
  // Slow intervals keep their length, quick ones grow.
  expect(steps.length).toBe(questions);
});

it("has searched exactly the time that it reports, at any stop", async () => {
  const ann = records.filter(({ user_email: email }) => email === "ann@example.com");
  const steps = await search(siteWith(0), "person=ann@example.com&fold=no");
  expect(steps.length).toBeGreaterThan(2);
  for (const step of steps) {
    const fitting = ann.filter(({ time }) => time * 1000 >= step.reachedMs);
    expect(listTimes(step)).toEqual(newestFirst(fitting).slice(0, 101));
  }
  expect(listTimes(steps.at(-1)!)).toHaveLength(Math.min(101, ann.length));
});

it("stops at its time limit", async () => {
  const asked = search(siteWith(4000, 20_000), "person=nobody@example.com");
  await expect(asked).rejects.toThrow("stopped after 20 s");
});

it("shows its progress, then the result, and pages to the last event", async () => {
  const ids = new Set<string>();
  let path = "/events?since=2020-01-01&until=2026-01-01&fold=no&person=bob@example.com";
  let pages = 0;
  for (; path !== ""; pages += 1) {
    const page = await served.text(path);
    expect(page.match(/<div class="found">/g)).toHaveLength(1);
    expect(page.trimEnd().endsWith("</html>")).toBe(true);
    if (pages === 0) expect(page.match(/class="progress"/g)!.length).toBeGreaterThan(1);
    for (const [, key] of page.matchAll(/href="\/events\/([0-9a-f]{32})"/g)) ids.add(key!);
    const [, next = ""] = /href="(\/events\?[^"]*below_time[^"]*)">Older/.exec(page) ?? [];
    path = next.replaceAll("&amp;", "&");
  }
  const bob = records.filter(({ user_email: email }) => email === "bob@example.com");
  expect([ids.size, pages]).toEqual([bob.length, Math.ceil(bob.length / 100)]);
});

it("can be stopped by a link that returns the events found so far", async () => {
  const page = await served.text(
    "/events?since=2020-01-01&until=2026-01-01&fold=no&person=ann@example.com",
  );
  const [, stop = ""] = /Searched back to[^<]*<a href="([^"]*)">Stop here/.exec(page) ?? [];
  const since = new URLSearchParams(stop.split("?")[1]!.replaceAll("&amp;", "&")).get("from")!;
  const stopped = await served.text(stop.replaceAll("&amp;", "&"));
  const found = [...stopped.matchAll(/href="\/events\/[0-9a-f]{32}"/g)].length;
  const fitting = records.filter(
    ({ time, user_email: email }) =>
      email === "ann@example.com" && time * 1000 >= Date.parse(since),
  );
  expect(found).toBe(Math.min(100, fitting.length));
});
