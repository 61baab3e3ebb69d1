import { expect, it } from "vitest";
import { findSingle } from "../../../../../pipeline/core/source/discovery/investigate.ts";
import { newAsker, groundOn, records, type Service } from "./answers.ts";
import { buildSource } from "./found.ts";

// Whether a service puts everything into one answer, by a long answer and those for its two parts.

const reachMs = 30 * 86_400_000;
const endMs = 1_773_000_000_000;
const window = { startMs: endMs - 86_400_000, endMs };
const { audits } = buildSource();

/** A log of so many seconds, one record in each, that ends at the end of the window. */
const buildLog = (count: number): { time: number; id: string }[] =>
  Array.from({ length: count }, (_, i) => ({ time: endMs / 1000 - count + i, id: `r${i}` }));

const serving =
  (log: readonly { readonly time: number }[], cap = Infinity): Service =>
  ({ from, to }) => ({
    audits: log.filter(({ time }) => time >= Number(from) && time < Number(to)).slice(0, cap),
  });

async function find(service: Service, more: object = {}) {
  const ground = { ...groundOn(() => ({ audits: records })), audits, window, ...more };
  const asked: unknown[] = [];
  const asker = newAsker((parameters) => {
    asked.push([Number(parameters["from"]) * 1000, Number(parameters["to"]) * 1000]);
    return service(parameters);
  });
  return { ...(await findSingle(asker, ground, audits.paging)), asked };
}

it("a complete answer is shown by more than a thousand records that are equal to its parts", async () => {
  const { audits: found, text, hasTooLittle, asked } = await find(serving(buildLog(1001)));
  expect(found).toEqual({ ...audits, paging: { ...audits.paging, style: "none" } });
  expect(text).toBe("1001 records in one response, the same as in two parts of its range");
  expect(hasTooLittle).toBe(false);
  const startMs = window.startMs - reachMs;
  const splitMs = endMs - 501_000;
  expect(asked).toEqual([
    [startMs, endMs],
    [startMs, splitMs],
    [splitMs, endMs],
  ]);
});

it("an answer is split in the middle of its times, at a whole second, in any order", async () => {
  const log = buildLog(1002).map(({ time, id }) => ({ time: time + 0.5, id }));
  const { text, asked } = await find(serving(log.toReversed()));
  expect(text).toMatch(/^1002 records in one response/);
  expect(asked[1]).toEqual([window.startMs - reachMs, endMs - 501_000]);
});

it("a shorter answer proves nothing, since it may have continued in pages", async () => {
  const { audits: found, text, hasTooLittle } = await find(serving(buildLog(1000)));
  expect([found, hasTooLittle]).toEqual([undefined, true]);
  expect(text).toMatch(/^all 1000 records came in one response.*more than 1000$/);
});

it("an answer is incomplete if its parts have more records", async () => {
  const { audits: found, text, hasTooLittle } = await find(serving(buildLog(3000), 1200));
  expect([found, hasTooLittle]).toEqual([undefined, false]);
  expect(text).toMatch(/^records of its parts are missing from a response, and no paging/);
});

it("a record at the edge of both parts counts once", async () => {
  const log = buildLog(1001);
  const close: Service = ({ from, to }) => ({
    audits: log.filter(({ time }) => time >= Number(from) && time <= Number(to)),
  });
  expect((await find(close)).text).toMatch(/^1001 records in one response/);
});

it("the split is impossible without a window, with a size, or if a part is refused", async () => {
  const noWindow = { audits: { ...audits, window_params: null } };
  for (const more of [noWindow, { sizeParam: "limit" }]) {
    const { text, asked, ...rest } = await find(serving(buildLog(1001)), more);
    expect([text, asked]).toEqual([expect.stringMatching(/^no paging was detected/), []]);
    expect(rest).toEqual({ audits: undefined, hasTooLittle: false });
  }
  let asked = 0;
  const breakOff: Service = (parameters) =>
    (asked += 1) === 3 ? { nothing: 1 } : serving(buildLog(1001))(parameters);
  expect((await find(breakOff)).text).toMatch(/^no paging was detected/);
});

it("the split reaches back to the start of time at most", async () => {
  const { asked } = await find(serving(buildLog(3)), { window: { startMs: 5000, endMs } });
  expect(asked[0]).toEqual([0, endMs]);
});
