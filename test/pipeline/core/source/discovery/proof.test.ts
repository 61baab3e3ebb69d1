import { expect, test } from "vitest";
import { OutOfRequests, type Asker } from "../../../../../pipeline/core/source/discovery/asker.ts";
import type { Ground } from "../../../../../pipeline/core/source/discovery/ground.ts";
import { tryPaging, type Verdict } from "../../../../../pipeline/core/source/discovery/proof.ts";
import { buildAnswer } from "./answers.ts";
import { buildSource } from "./found.ts";

// A service that takes no window: what short pages show is tried against a long one.
const records = Array.from({ length: 10 }, (_, i) => ({ time: 1_772_000_000 - i, id: `r${i}` }));
const short = 2;
const { audits, limits } = buildSource({
  audits: { window_params: null, paging: { size: short, next_at: null } },
});

type Page = (number: number, size: number) => readonly object[] | undefined;
const whole: Page = (number, size) => records.slice((number - 1) * size, number * size);

async function readVerdict(page: Page, most = 20): Promise<Verdict> {
  let requests = 0;
  const asker: Asker = {
    requests: () => requests,
    ask: async (_, { page: number, per_page: size }) => {
      await Promise.resolve();
      if ((requests += 1) > most) throw new OutOfRequests();
      const shown = page(Number(number), Number(size));
      return shown && buildAnswer(shown);
    },
  };
  const reference = records.map((record) => ({
    text: JSON.stringify(record),
    ms: record.time * 1000,
  }));
  return tryPaging(asker, { reference } as unknown as Ground, audits, limits);
}

const onLong =
  (page: Page): Page =>
  (number, size) =>
    size > short ? page(number, size) : whole(number, size);

test.each<[what: string, page: Page, is: Verdict["is"], why: string | undefined]>([
  ["as short ones", whole, "whole", undefined],
  ["refused", onLong(() => undefined), "wrong", "the service refuses the requests"],
  [
    "without the newest",
    onLong((number, size) => whole(number, size)?.slice(1)),
    "wrong",
    "records of short pages are missing from long pages",
  ],
])("if long pages come %s, the verdict states whether all was read", async (_, page, is, why) => {
  const verdict = await readVerdict(page);
  expect([verdict.is, "why" in verdict ? verdict.why : undefined]).toEqual([is, why]);
});

test.each<[what: string, page: Page, is: Verdict["is"], why: RegExp]>([
  ["are refused", () => undefined, "wrong", /the service refuses the requests/],
  [
    "skip records",
    (number, size) => whole(2 * number - 1, size),
    "wrong",
    /pages are not consecutive/,
  ],
  [
    "are too few to decide",
    (number, size) => (number > 2 ? [] : whole(number, size)),
    "open",
    /all records came in 2 pages/,
  ],
])("if short pages %s, nothing is assumed to be complete", async (_, page, is, why) => {
  expect(await readVerdict(page)).toEqual({ is, why: expect.stringMatching(why) as unknown });
});

test("a request limit before the end is reported", async () => {
  for (const most of [0, 1, 3])
    expect(await readVerdict(whole, most)).toEqual({
      is: "open",
      why: "the request limit was reached before the end of the read",
    });
});

const startS = 1_772_000_000;
const window = { startMs: startS * 1000, endMs: (startS + 86_400) * 1000 };
const within = buildSource({
  audits: {
    window_params: { from: "from", to: "to", form: "epoch_seconds" },
    paging: { size: short, next_at: null },
  },
});

async function verdictOnWindow(
  times: readonly number[],
  known: readonly number[] | undefined,
): Promise<Verdict> {
  const all = times.map((time, i) => ({ time: startS + time, id: `r${i}` }));
  const asker: Asker = {
    requests: () => 0,
    ask: async (_, { page, per_page: size, from, to }) => {
      await Promise.resolve();
      const of = all.filter(({ time }) => time >= Number(from) && time < Number(to));
      const at = (Number(page) - 1) * Number(size);
      return buildAnswer(of.slice(at, at + Number(size)));
    },
  };
  const reference = (known ?? []).map((i) => ({
    text: JSON.stringify(all[i]),
    ms: all[i]!.time * 1000,
  }));
  const ground = { window, reference, isWhole: known !== undefined } as unknown as Ground;
  return tryPaging(asker, ground, within.audits, within.limits);
}

test.each<[what: string, times: readonly number[], known: number[] | undefined, verdict: object]>([
  ["all that was seen", [1, 2, 3, 4, 5], [0, 1, 2, 3, 4], { is: "whole" }],
  [
    "more than was seen",
    [1, 2, 3, 4, 5],
    [1, 2, 3],
    { is: "wrong", why: "it reads 5 records instead of 3" },
  ],
  ["what its two parts give", [1, 2, 3, 4, 5], undefined, { is: "whole" }],
  [
    "one second alone, which has no parts",
    [0, 0, 0, 0, 0],
    undefined,
    { is: "open", why: "the parts of the window could not be read" },
  ],
])("the verdict of a window that reads %s explains it", async (_, times, known, verdict) => {
  expect(await verdictOnWindow(times, known)).toMatchObject(verdict);
});

test.each([true, false])(
  "pages of a window are compared with one page, or else with its parts: %s",
  async (isWhole) => {
    const all = records.toReversed();
    const span = { startMs: all[0]!.time * 1000, endMs: (all.at(-1)!.time + 1) * 1000 };
    const windowed = buildSource({
      audits: { window_params: { from: "from", to: "to" }, paging: { size: 3, next_at: null } },
    });
    let hides = false;
    const asker: Asker = {
      requests: () => 0,
      ask: (_, { page, per_page: size, from, to }) => {
        const inside = all.filter(({ time }) => time >= Number(from) && time < Number(to));
        // Only a request over less than the whole window shows the last record.
        const isPart = Number(to) - Number(from) < (span.endMs - span.startMs) / 1000;
        const shown = hides && !isPart ? inside.slice(0, -1) : inside;
        const end = Number(page) * Number(size);
        return Promise.resolve(buildAnswer(shown.slice(end - Number(size), end)));
      },
    };
    const reference = all.map((record) => ({
      text: JSON.stringify(record),
      ms: record.time * 1000,
    }));
    const verdict = (given: typeof reference): Promise<Verdict> =>
      tryPaging(
        asker,
        { window: span, reference: given, isWhole } as unknown as Ground,
        windowed.audits,
        windowed.limits,
      );
    expect(await verdict(reference)).toMatchObject({
      is: "whole",
      how: `10 records in 4 pages, the same ${isWhole ? "as in one page" : "as in two parts of the range"}`,
    });
    hides = true;
    // What one page was cut off by shows in the parts alone.
    expect((await verdict(reference.slice(0, -1))).is).toBe(isWhole ? "whole" : "wrong");
  },
);
