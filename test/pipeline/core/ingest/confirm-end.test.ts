import { expect, it } from "vitest";
import { AuditlakeError, exitCode } from "../../../../pipeline/base/errors.ts";
import type { ReadEnd } from "../../../../pipeline/core/landing/manifests.ts";
import {
  confirmEnd,
  type LandedRange,
  withHalfPages,
} from "../../../../pipeline/core/ingest/confirm-end.ts";
import type { Fetch } from "../../../../pipeline/core/ingest/fetch.ts";
import type { Plan } from "../../../../pipeline/core/ingest/plan.ts";
import type { Client } from "../../../../pipeline/core/source/client.ts";
import type { Traits } from "../../../../pipeline/core/store/ledger/coverage.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { buildAnswer } from "../source/discovery/answers.ts";

// Where nothing else shows the end of a window, a longer range does, or shows that it may have been cut off.

const hourS = 3600;
const startS = Date.UTC(2026, 2, 1) / 1000;
const window = { startMs: startS * 1000, endMs: (startS + hourS) * 1000 };
const traits: Traits = {
  isNextSeen: false,
  smallestFollowed: undefined,
  hasGiven: false,
  isHalfAsked: true,
};

/** What a service shows of a range, in seconds; undefined where it does not answer. */
type Service = (from: number, to: number) => object | undefined;

type Given = {
  readonly task?: Partial<Fetch>;
  readonly audits?: object;
  readonly traits?: Partial<Traits>;
  readonly code?: 1 | 4;
  readonly ranges?: number;
};

function buildPlan(audits: object, more: Partial<Traits> = {}): Plan {
  const paging = { style: "cursor" };
  const source = configSchema.parse({ sources: { a: { audits: { paging, ...audits } } } }).sources;
  return { source: { ...source["a"]!, name: "a" }, traits: { ...traits, ...more } } as Plan;
}

/** How a window of so many records ended, by what a service then shows; and how often it was asked. */
async function endRead(
  service: Service,
  records: number,
  { task = {}, audits = {}, traits: more, code = exitCode.failed, ranges = 1 }: Given = {},
): Promise<ReadEnd & { readonly asked: number }> {
  let asked = 0;
  const get: Client["get"] = async (_path, { from, to }, open) => {
    await Promise.resolve();
    asked += 1;
    const shown = service(Number(from), Number(to));
    if (shown === undefined) throw new AuditlakeError("refused", code);
    return open(buildAnswer(shown));
  };
  const ending = { records, by: "absent_next", total: undefined, signs: [], lastPage: records };
  const whole = { ...ending, smallestFollowed: undefined, isFollowed: false };
  const range = { range: window, ending: whole, isInside: true } as LandedRange;
  const confirming = { splitMs: undefined, records } as unknown as Fetch["confirming"];
  const fetch: Fetch = { window, round: 1, maySplit: true, confirming, ...task };
  const given = Array.from({ length: ranges }, () => range);
  return { ...(await confirmEnd({ get } as Client, buildPlan(audits, more), fetch, given)), asked };
}

const at = (...seconds: number[]): object[] => seconds.map((time) => ({ time, event_name: "a" }));
const inWindow = [startS, startS + 10, startS + hourS - 1];
const [early, late] = [startS - 5, startS + hourS + 5];

/** A log of these times, from which a service shows at most so many records, the newest first. */
const log =
  (times: readonly number[], most = Infinity): Service =>
  (from, to) =>
    at(
      ...times
        .filter((time) => time >= from && time < to)
        .toSorted((a, b) => b - a)
        .slice(0, most),
    );

it.each<[what: string, service: Service, records: number, longer: boolean, asked: number]>([
  ["gives the window's records and one before", log([early, ...inWindow]), 3, true, 1],
  ["gives them and one after", log([...inWindow, late]), 3, true, 2],
  ["gives no more", log(inWindow), 3, false, 3],
  ["is cut off where the window was, too", log([early, ...inWindow, late], 3), 3, false, 3],
  ["gives more, but not all of the window's", log([late - 1, late, ...inWindow], 4), 3, false, 3],
  ["gives something where the window is empty", log([early]), 0, true, 1],
  ["gives nothing where the window is empty", log([]), 0, false, 2],
  ["is refused", () => undefined, 3, false, 3],
  [
    "gives records without times",
    (from) => (from < startS ? [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }] : []),
    3,
    false,
    3,
  ],
])(
  "a longer range that %s shows the end of the window or not",
  async (_, service, records, longer, asked) => {
    expect(await endRead(service, records)).toMatchObject({ longer, asked });
  },
);

it("a longer range with a next page shows the end, if the page has records", async () => {
  const naming =
    (audits: object[]): Service =>
    (from) =>
      from < startS ? { audits, next_page: "c" } : at(...inWindow);
  expect((await endRead(naming(at(startS + 10)), 3)).longer).toBe(true);
  expect((await endRead(naming([]), 3)).longer).toBe(false);
  const numbered = { paging: { style: "page" } };
  expect((await endRead(naming(at(startS + 10)), 3, { audits: numbered })).longer).toBe(false);
});

it("an event at the end of the window is shown by the range without it", async () => {
  const close =
    (...times: number[]): Service =>
    (from, to) =>
      at(...times.filter((time) => time >= from && time <= to));
  const end = startS + hourS;
  expect(await endRead(close(end), 1)).toMatchObject({ longer: true, asked: 4 });
  expect((await endRead(close(end - 1, end), 2)).longer).toBe(false);
  expect((await endRead((from, to) => (to === end ? at(end) : undefined), 1)).longer).toBe(false);
});

it("no further request is sent if the window is not to be confirmed, or its end is shown", async () => {
  const more = log([early, ...inWindow]);
  for (const given of [
    { task: { confirming: undefined } },
    { ranges: 2 },
    { audits: { window_params: null } },
    { audits: { paging: { style: "cursor", whole: true } } },
    { traits: { isNextSeen: true } },
  ])
    expect(await endRead(more, 3, given as Given)).toMatchObject({ longer: false, asked: 0 });
});

it("a read records the requested size of pages, and the configured meaning of the answers", async () => {
  const said = async (audits: object): Promise<unknown[]> => {
    const { size, whole, retention_ms: retentionMs } = await endRead(log(inWindow), 3, { audits });
    return [size, whole, retentionMs];
  };
  expect(await said({ paging: { style: "cursor", size: 7 } })).toEqual([7, false, null]);
  expect(await said({ paging: { style: "cursor", size_param: null } })).toEqual([
    null,
    false,
    null,
  ]);
  expect(await said({ paging: { style: "none", size_param: "n" } })).toEqual([null, false, null]);
  expect(await said({ paging: { style: "page", size: 7, whole: true } })).toEqual([7, true, null]);
});

it("a service that refuses the key ends the confirmation", async () => {
  await expect(endRead(() => undefined, 3, { code: exitCode.refused })).rejects.toThrow("refused");
});

it("pages of half the records are requested once, if the service offers pages and none was followed before", async () => {
  const size = (records: number | undefined, audits: object = {}, more: Partial<Traits> = {}) => {
    const plan = buildPlan(audits, { isHalfAsked: false, ...more });
    const confirming = records === undefined ? undefined : ({ records } as Fetch["confirming"]);
    const { paging } = withHalfPages(plan, confirming).audits;
    return paging.size === plan.source.audits.paging.size ? "as it is" : paging.size;
  };
  expect([size(7), size(2), size(1), size(undefined)]).toEqual([3, 1, "as it is", "as it is"]);
  expect(size(7, {}, { isNextSeen: true })).toBe("as it is");
  expect(size(7, {}, { isHalfAsked: true })).toBe("as it is");
  expect(size(7, { paging: { style: "page" } })).toBe("as it is");
  expect(size(7, { paging: { style: "cursor", size_param: null } })).toBe("as it is");
  const asked = await endRead(log(inWindow), 3, { traits: { isHalfAsked: false } });
  expect(asked).toMatchObject({ half_asked: true, size: 1 });
  expect(await endRead(log(inWindow), 3)).toMatchObject({ half_asked: false });
});
