import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { landWindow } from "../../../../pipeline/core/ingest/fetch-window.ts";
import type { Fetch, LandResult } from "../../../../pipeline/core/ingest/fetch.ts";
import type { Plan } from "../../../../pipeline/core/ingest/plan.ts";
import { listLeftovers } from "../../../../pipeline/core/landing/journal.ts";
import { listFilesBelow } from "../../../../pipeline/core/landing/sweep.ts";
import { newPageCache } from "../../../../pipeline/core/load/loader.ts";
import type { Traits } from "../../../../pipeline/core/store/ledger/coverage.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { testWorld } from "../../../support/world.ts";
import { answer, rawService, newReader, type Script } from "../source/raw-service.ts";

// One fetch: what of a window is landed, and when it is given up as too long.

const window = { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 2, 2) };
const dateHeader = "Mon, 02 Mar 2026 09:00:00 GMT";

// A source that has shown its ways: nothing further is asked for to confirm a window.
const traits: Traits = {
  isNextSeen: true,
  smallestFollowed: 2,
  hasGiven: true,
  isHalfAsked: false,
};

let held: string[] = [];
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  held = [];
});
afterEach(() => folder.remove());

/** Bodies of pages with two records each, of which the last has one and names none that follows. */
function bodies(count: number, startMs = window.startMs): string[] {
  return Array.from({ length: count }, (_, page) => {
    const times = page < count - 1 ? [0, 1] : [0];
    const more = { event_name: "sign_in", query_text: "x".repeat(200) };
    const record = (i: number): object => ({ time: startMs / 1000 + page * 2 + i, ...more });
    const next = page < count - 1 ? { next_page: `c${page}` } : {};
    return JSON.stringify({ audits: times.map(record), ...next });
  });
}

const pages = (...args: Parameters<typeof bodies>): Script[] =>
  bodies(...args).map((body) => answer(body, { Date: dateHeader }));

type Fetched = { readonly landing: LandResult; readonly clocks: unknown[] };

async function fetch(
  scripts: readonly Script[],
  limits: object,
  more: Partial<Fetch> = {},
  paging: object = { style: "cursor" },
): Promise<Fetched> {
  await using service = await rawService(...scripts);
  await using reader = newReader(service.url, { maxAttempts: 1 });
  const source = configSchema.parse({ sources: { a: { audits: { paging }, limits } } }).sources[
    "a"
  ]!;
  const clocks: unknown[] = [];
  const inMemory = newPageCache();
  const plan: Plan = {
    runId: "run",
    source: { ...source, name: "a" },
    landing: folder.path,
    isScheduledRun: true,
    range: window,
    windows: [window],
    planned: [],
    isFirst: true,
    rangeStartMs: window.startMs,
    checkClock: (serverMs) => void clocks.push(serverMs),
    leavesBeforeMs: 0,
    held: {
      ...inMemory,
      add: (id, sha256, page) => {
        held.push(id);
        inMemory.add(id, sha256, page);
      },
      drop: () => void held.splice(0),
    },
    traits,
  };
  const task = { window, round: 1, maySplit: true, ...more };
  const world = testWorld({ now: () => window.endMs + 1 });
  return { landing: await landWindow(reader.client, plan, task, world), clocks };
}

const landedPages = ({ landing }: Fetched): number | "too long" =>
  "manifest" in landing ? landing.manifest.pages.length : "too long";

it("a window stores every page with a manifest, and requests the clock once", async () => {
  const { landing, clocks } = await fetch(pages(3), {});
  expect(landing).toMatchObject({
    manifest: {
      window_start: "2026-03-01 00:00:00.000",
      server_time: "2026-03-02 09:00:00.000",
      pages: { length: 3 },
      ended: { parts: [{ records: 5, by: "absent_next" }] },
    },
  });
  expect(clocks).toEqual([Date.parse(dateHeader)]);
  const id = "run-20260301T000000Z";
  expect(held).toEqual([id, id, id]);
  expect(existsSync(join(folder.path, "reads", `${id}.json`))).toBe(true);
  expect(listLeftovers(folder.path)).toEqual([]);
});

it("a page without records is not stored", async () => {
  const empty = answer('{"audits":[],"next_page":"c"}');
  const only = answer('{"audits":[]}');
  expect(landedPages(await fetch([empty, ...pages(1)], {}))).toBe(1);
  expect(landedPages(await fetch([only], {}))).toBe(0);
});

const before = bodies(5).slice(0, 4).join("").length;

it.each<[what: string, limits: object, landed: number | "too long"]>([
  ["as many as one read may hold", { read_pages: 5 }, 5],
  ["one more", { read_pages: 4 }, "too long"],
  ["fewer than the most", { max_pages: 6 }, 5],
  ["the most, after which nothing can be read", { max_pages: 5 }, "too long"],
  ["as many bytes as a read may have before its last page", { read_bytes: before + 1 }, 5],
  ["one byte more", { read_bytes: before }, "too long"],
])("five pages, which are %s, and the limits of a read: %j", async (_, limits, landed) => {
  expect(landedPages(await fetch(pages(5), limits))).toBe(landed);
});

it("a window that is given up reports its start, and leaves no page", async () => {
  const first = (found: Fetched): unknown => found.landing;
  const inside = await fetch(pages(3), { read_pages: 2 });
  expect(first(inside)).toEqual({
    givenUp: { firstPage: expect.stringMatching(/^[0-9a-f]+$/), isInside: true },
  });
  expect(held).toEqual([]);
  expect(listFilesBelow(folder.path)).toEqual([]);
  const empty = answer('{"audits":[],"next_page":"c"}');
  expect(first(await fetch([empty, ...pages(3)], { read_pages: 2 }))).toEqual(first(inside));
  const outside = await fetch(pages(3, window.endMs + 1000), { read_pages: 2 });
  expect(first(outside)).toMatchObject({ givenUp: { isInside: false } });
  const timeless = answer('{"audits":[{"event_name":"a"}],"next_page":"c"}');
  expect(first(await fetch([timeless, ...pages(2)], { read_pages: 1 }))).toMatchObject({
    givenUp: { isInside: false },
  });
});

it("a window that may not be split is stored up to the page limit", async () => {
  const most = { max_pages: 4 };
  await expect(fetch(pages(5), most, { maySplit: false })).rejects.toThrow(/more than 4 pages/);
  expect(listFilesBelow(folder.path)).toEqual([]);
  const small = { read_pages: 1, read_bytes: 1024 };
  expect(landedPages(await fetch(pages(5), small, { maySplit: false }))).toBe(5);
  expect(landedPages(await fetch(pages(1), { max_pages: 1 }))).toBe(1);
  expect(landedPages(await fetch(pages(2), { max_pages: 2 }))).toBe("too long");
});

it("a read whose manifest cannot be written leaves nothing", async () => {
  writeFileSync(join(folder.path, "reads"), "");
  await expect(fetch(pages(3), {})).rejects.toThrow(/reads/);
  expect(held).toEqual([]);
});

it("one long page is too long only if a shorter range makes it shorter", async () => {
  const long = answer(JSON.stringify({ audits: [{ time: 1, text: "x".repeat(200_000) }] }));
  const unsized = { style: "cursor", size_param: null };
  for (const paging of [unsized, { style: "none" }, { style: "none", size_param: "size" }])
    expect((await fetch([long], {}, {}, paging)).landing).toEqual({
      givenUp: { firstPage: undefined, isInside: false },
    });
  const sized = { style: "cursor", size_param: "size" };
  for (const [more, paging] of [
    [{}, sized],
    [{ maySplit: false }, unsized],
  ] as const)
    await expect(fetch([long], {}, more, paging)).rejects.toThrow(/bytes/);
});

it("a read with a page that the service does not return is given up, and leaves nothing", async () => {
  const broken = answer("{");
  const scripts = [answer("", {}, 500), answer("", {}, 410), broken];
  for (const [i, script] of scripts.entries()) {
    const fault = expect.objectContaining({
      message: expect.stringMatching([/answered 500/, /answered 410/, /truncated/][i]!) as string,
    }) as unknown;
    expect((await fetch([script], {})).landing).toEqual({
      givenUp: { firstPage: undefined, isInside: false, hasStarted: false, fault },
    });
    expect((await fetch([...pages(2).slice(0, 1), script], {})).landing).toMatchObject({
      givenUp: {
        firstPage: expect.stringMatching(/^[0-9a-f]+$/) as string,
        hasStarted: true,
        fault,
      },
    });
    expect([listFilesBelow(folder.path), held]).toEqual([[], []]);
  }
  const refused = answer("", {}, 403);
  await expect(fetch([refused], {})).rejects.toThrow(/refused the key/);
  const busy = answer("", { "Retry-After": "1" }, 503);
  await expect(fetch([busy], {})).rejects.toThrow(/asked to wait/);
});

describe("a window to confirm", () => {
  const splitMs = window.startMs + 3600_000;
  const confirming = { splitMs, records: 2 };

  it("is requested in two parts, each with its pages", async () => {
    const scripts = [...pages(2), ...pages(1, splitMs)];
    const { landing } = await fetch(scripts, {}, { confirming });
    const [from, split] = ["00:00:00.000", "01:00:00.000"].map((time) => `2026-03-01 ${time}`);
    expect(landing).toMatchObject({
      manifest: {
        pages: [{ part: 0 }, { part: 0 }, { part: 1 }],
        ended: {
          parts: [
            { start: from, end: split, records: 3 },
            { start: split, end: "2026-03-02 00:00:00.000", records: 1 },
          ],
        },
      },
    });
  });

  it("is requested as a whole if a part has records of another time, or is too long", async () => {
    for (const [scripts, limits] of [
      [[...pages(1), ...pages(1, splitMs - 1000), ...pages(2)], {}],
      [[...pages(1, splitMs + 1000), ...pages(2)], {}],
      [[...pages(3), ...pages(2)], { read_pages: 2 }],
    ] as const) {
      const { landing } = await fetch(scripts, limits, { confirming });
      expect(landing).toMatchObject({
        manifest: { pages: { length: 2 }, ended: { parts: [{ records: 3 }] } },
      });
      folder.remove();
      folder = temporaryFolder();
    }
  });
});
