import { expect, it } from "vitest";
import type { Asker } from "../../../../../pipeline/core/source/discovery/asker.ts";
import { openLog, findShownSize } from "../../../../../pipeline/core/source/discovery/opening.ts";
import { buildAnswer, records } from "./answers.ts";
import { buildSource } from "./found.ts";

// How an unknown service is requested, until it gives records.

const nowMs = Date.UTC(2026, 2, 3, 4, 5, 6, 789);
const { audits } = buildSource({
  audits: { window_params: { from: "von", to: "bis", form: "iso8601" } },
});
const own = { von: "2026-03-02T04:05:06.000Z", bis: "2026-03-03T04:05:06.000Z" };
const bySecond = { von: "1772424306", bis: "1772510706" };

type Parameters = Readonly<Record<string, string>>;
type Asked = {
  readonly asked: Parameters[];
  readonly outcome: Awaited<ReturnType<typeof openLog>>;
};

/** Opens a log of a service that refuses parameters where it gives no body. */
async function open(
  answer: (parameters: Parameters) => object | undefined,
  of = audits,
): Promise<Asked> {
  const asked: Parameters[] = [];
  const asker: Asker = {
    requests: () => asked.length,
    ask: async (_, parameters) => {
      asked.push(parameters);
      await Promise.resolve();
      const body = answer(parameters);
      return body === undefined ? undefined : buildAnswer(body);
    },
  };
  return { asked, outcome: await openLog(asker, of, nowMs) };
}

const isOf = (parameters: Parameters, names: Parameters): boolean =>
  JSON.stringify(parameters) === JSON.stringify(names);

it("a service that refuses everything is requested with sizes, without, with all windows, and with only four windows", async () => {
  const { asked, outcome } = await open(() => undefined);
  expect(outcome).toBe("the service refused every request");
  const [sizes, bare, ...windowed] = asked;
  expect(Object.entries(sizes!).slice(0, 3)).toEqual([
    ["per_page", "24"],
    ["limit", "25"],
    ["page_size", "26"],
  ]);
  expect(bare).toEqual({});
  const together = windowed.slice(0, 4);
  for (const [i, parameters] of together.entries()) {
    expect(parameters).toMatchObject({ ...sizes, ...(i % 2 === 0 ? own : bySecond) });
    expect(["after", "start", "since"].map((name) => name in parameters)).toEqual(
      Array.from({ length: 3 }, () => i < 2),
    );
  }
  expect(together[0]).toMatchObject({ from: own.von, to: own.bis, min_time: own.von });
  expect(windowed.slice(4).map((parameters) => Object.keys(parameters).join())).toEqual(
    Array.from({ length: 2 }, () => ["von,bis", "from,to", "start,end", "since,until"]).flat(),
  );
  expect([windowed[4], windowed[8]]).toEqual([own, bySecond]);
});

it("the first answer with records is used, and its request recorded", async () => {
  const body = { audits: records };
  const empty = { audits: [] };
  const sized = await open(() => body);
  expect(sized.outcome).toMatchObject({ sizes: sized.asked[0], isStrict: false, needs: undefined });
  const strict = await open((parameters) => (isOf(parameters, {}) ? body : undefined));
  expect(strict.outcome).toMatchObject({ sizes: {}, isStrict: true, needs: undefined });
  const windowed = await open(({ von, from }) =>
    von === bySecond.von && from === bySecond.von ? body : empty,
  );
  expect(windowed.outcome).toMatchObject({
    sizes: windowed.asked[0],
    isStrict: false,
    needs: { form: "epoch_seconds", pairs: expect.arrayContaining([["von", "bis"]]) },
  });
  for (const form of [own, bySecond]) {
    const alone = await open((parameters) => (isOf(parameters, form) ? body : undefined));
    const needs = { form: form === own ? "iso8601" : "epoch_seconds", pairs: [["von", "bis"]] };
    expect(alone.outcome).toMatchObject({ sizes: {}, isStrict: true, needs });
  }
});

it("the reason is reported if no answer has records", async () => {
  const quiet = await open(() => ({ audits: [] }));
  expect(quiet.outcome).toBe("the service returned no records");
  // With all windows at once; one that takes what it does not know is not asked for each alone.
  expect(quiet.asked).toHaveLength(5);
  const strict = await open((parameters) => (isOf(parameters, {}) ? { audits: [] } : undefined));
  expect(strict.outcome).toBe("the service returned no records");
  const other = await open(() => ({ greeting: "hello" }));
  expect([other.outcome, other.asked.length]).toEqual([
    "the responses are not pages of records",
    1,
  ]);
});

it("the names and form in force come first, each once", async () => {
  const none = await open(() => undefined, buildSource({ audits: { window_params: null } }).audits);
  expect(Object.keys(none.asked[6]!)).toEqual(["from", "to"]);
  expect(none.asked[6]!["from"]).toBe(bySecond.von);
  const paging = { style: "page", size_param: "take" };
  const window_params = { from: "since", to: "until", form: "epoch_seconds" };
  const taken = buildSource({ audits: { window_params, paging } }).audits;
  const { asked } = await open(() => undefined, taken);
  expect(Object.entries(asked[0]!).slice(0, 2)).toEqual([
    ["take", "24"],
    ["per_page", "25"],
  ]);
  expect(Object.keys(asked[0]!)).toHaveLength(12);
  expect(asked.slice(6, 10).map((parameters) => Object.keys(parameters).join())).toEqual([
    "since,until",
    "from,to",
    "start,end",
    "start_time,end_time",
  ]);
  expect([23, 24, 25, 35, 36].map((size) => findShownSize(taken, size))).toEqual([
    undefined,
    "take",
    "per_page",
    "batch_size",
    undefined,
  ]);
});
