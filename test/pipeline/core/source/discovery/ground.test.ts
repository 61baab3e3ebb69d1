import { expect, test } from "vitest";
import type { Asker } from "../../../../../pipeline/core/source/discovery/asker.ts";
import { type Ground, findGround } from "../../../../../pipeline/core/source/discovery/ground.ts";
import type { Opening } from "../../../../../pipeline/core/source/discovery/opening.ts";
import { readSeen } from "../../../../../pipeline/core/source/discovery/read-answer.ts";
import { buildAnswer } from "./answers.ts";
import { buildSource } from "./found.ts";

// What paging is tried on, of a service that shows the newest first, one record a minute.
const nowMs = Date.UTC(2026, 1, 25);
const records = Array.from({ length: 200 }, (_, i) => ({
  time: nowMs / 1000 - 60 * (i + 1),
  id: `r${i}`,
}));
const { audits } = buildSource({ audits: { window_params: { from: "from", to: "to" } } });

/** The ground of a service that takes one name for a size, or none. */
async function ground(
  sizeParam?: string,
  isWindowed = true,
  most = 40,
): Promise<Ground | undefined> {
  const asker: Asker = {
    requests: () => 0,
    ask: (_, asked) => {
      const { from = 0, to = Infinity } = asked;
      const inside = records.filter(({ time }) => time >= Number(from) && time < Number(to));
      const size = sizeParam === undefined ? most : Number(asked[sizeParam] ?? most);
      return Promise.resolve(buildAnswer(inside.slice(0, size)));
    },
  };
  const seen = readSeen((await asker.ask("", {}))!, null)!;
  const own = isWindowed ? audits : { ...audits, window_params: null };
  return findGround(asker, own, { seen, isStrict: false } as unknown as Opening, nowMs);
}

test("the reference is a window that fits on one page, and a small page of it, if the service takes a size", async () => {
  const found = (await ground("limit"))!;
  expect(found).toMatchObject({ isWhole: true, sizeParam: "limit" });
  expect(found.first.records).toHaveLength(found.size);
  expect(found.reference.slice(0, found.size)).toEqual(found.first.records);
  expect(found.size).toBeLessThan(found.reference.length / 3);
});

test("the reference is a longer window, of which one page may not have shown all, without a size", async () => {
  const [whole, found] = [(await ground("limit"))!, (await ground())!];
  expect(found).toMatchObject({ isWhole: false, sizeParam: null, size: 40 });
  expect(found.reference).toEqual(found.first.records);
  expect(found.reference).toHaveLength(40);
  expect(found.window.endMs).toBe(whole.window.endMs);
  expect(found.window.startMs).toBeLessThan(whole.window.startMs);
});

test("the reference is everything that is shown without a range, and its completeness is unknown", async () => {
  const found = (await ground(undefined, false))!;
  expect(found).toMatchObject({ isWhole: false, sizeParam: null, size: 40 });
  expect(found.reference).toHaveLength(40);
});

test.each([
  // A page, the records inside of it, and a fourth of them, so that the fourth page is not full.
  [5, 3, undefined],
  [6, 4, 1],
  [7, 5, 1],
  [8, 6, 2],
  [10, 8, 3],
  [21, 19, 5],
  [22, 20, 6],
  [40, 38, 10],
  [80, 78, 10],
])(
  "of a page of %i records, %i are of the window, and small pages have %s of them",
  async (most, inside, size) => {
    const found = await ground("limit", true, most);
    expect(found?.size).toBe(size);
    if (found !== undefined) expect(found.reference).toHaveLength(inside);
  },
);
