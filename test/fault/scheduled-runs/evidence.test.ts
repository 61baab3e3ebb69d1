import { beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../support/command.ts";
import { dayMs } from "../../support/remote.ts";
import {
  type Ask,
  type Body,
  type Event,
  day,
  openDesk,
  perSource,
  getSource,
  start,
} from "./desk.ts";

// A window is final only on completeness evidence: services that truncate their answers, and services that cannot
// show more than they do. Each service is a function from a request to a body, and a separate source in one home.

const events = (count: number, everyMs = dayMs / count): Event[] =>
  Array.from({ length: count }, (_, i) => ({
    time: Math.floor((day + i * everyMs) / 1000),
    id: `e${i}`,
    event_name: "job_kill",
  }));
const inside = (all: readonly Event[], { from, to }: Ask): Event[] =>
  all.filter(({ time }) => time >= from && time < to);

const none = { paging: { style: "none" } };
const cursor = { paging: { style: "cursor", next_at: "next", param: "page" } };
const computeOffset = (page: string | null): number => Number(page ?? 0);

describe("a truncated answer", () => {
  const all = events(50);
  const capRecords = (ask: Ask, cap: number): Event[] => inside(all, ask).slice(0, cap);
  const cut: [string, object, (ask: Ask) => Body][] = [
    ["at a cap, without a word", none, (ask) => ({ audits: capRecords(ask, 20) })],
    ["at its newest records", none, (ask) => ({ audits: inside(all, ask).slice(-20) })],
    [
      "before a cursor that is not followed",
      none,
      (ask) => ({ audits: capRecords(ask, 20), next_cursor: "abc" }),
    ],
    [
      "before a cursor under another key",
      { paging: { style: "cursor", next_at: "wrong", param: "page" } },
      (ask) => ({ audits: capRecords(ask, 20), paging: { cursors: null, nextCursor: "abc" } }),
    ],
    [
      "before a link that is not followed",
      none,
      (ask) => ({
        link: '<http://127.0.0.1/x>; rel="next"',
        body: { audits: capRecords(ask, 20) },
      }),
    ],
    [
      "below its total",
      none,
      (ask) => ({ audits: capRecords(ask, 20), total: inside(all, ask).length }),
    ],
    ["with more to come", none, (ask) => ({ audits: capRecords(ask, 20), has_more: true })],
    ["beside an error", none, (ask) => ({ audits: capRecords(ask, 20), error: "incomplete" })],
    ["without success", none, (ask) => ({ audits: capRecords(ask, 20), success: false })],
    ["in part", none, (ask) => ({ audits: capRecords(ask, 20), meta: { truncated: true } })],
    [
      "between pages that differ in size",
      { paging: { style: "page", size: 20 } },
      ({ page, ...ask }) => {
        const [from, to] = [
          [0, 20],
          [10, 20],
          [20, 30],
          [30, 30],
        ][Number(page) - 1] ?? [50, 50];
        return { audits: inside(all, { page, ...ask }).slice(from, to) };
      },
    ],
  ];
  const runs: { readonly code: number; readonly states: readonly string[] }[] = [];
  let kept: number[];
  let warnings: string[];
  let monitored: Outcome;
  beforeAll(async () => {
    await using desk = await openDesk(cut.map(([, audits, serve]) => ({ audits, serve })));
    for (let i = 0; i < 3; i++) {
      const { code } = await desk.read();
      runs.push({ code, states: await desk.states() });
    }
    kept = await perSource(desk, "count(*)");
    const { out } = await desk.home.run(["status"]);
    warnings = out.match(/warning: not verified complete: 1 window of 2026-02-28T00:00:00Z/g) ?? [];
    monitored = await desk.home.run(["status", "--fail-on", "gaps,unfinalized"]);
  });

  it.each(cut.map(([what], place) => [what, place] as const))(
    "%s is never finalized, and everything received is stored",
    (_what, place) => {
      const reported = runs.map(({ states }) => states[place]);
      expect(reported).toEqual(runs.map(() => expect.stringMatching(/^closed /)));
      expect(kept[place]).toBeGreaterThanOrEqual(20);
    },
  );

  it("makes the run exit with 6 if the answer shows it, and status warns of each", () => {
    expect(runs.map(({ code }) => code)).toEqual([6, 6, 6]);
    expect(warnings).toHaveLength(cut.length);
    expect([monitored.code, monitored.err]).toEqual([3, "found: unfinalized\n"]);
  });
});

describe("a window is finalized", () => {
  const all = events(50);
  const burst: Event[] = Array.from({ length: 9 }, (_, i) => ({
    time: day / 1000 + 5,
    id: `b${i}`,
    event_name: "job_kill",
  }));
  const newPaged = (list: readonly Event[], { page, size }: Ask): Body => {
    const offset = computeOffset(page);
    const next = offset + size < list.length ? String(offset + size) : undefined;
    return { audits: list.slice(offset, offset + size), ...(next === undefined ? {} : { next }) };
  };
  const cases: [string, object, (ask: Ask) => Body, string][] = [
    ["by its two parts", none, (ask) => ({ audits: inside(all, ask) }), "parts"],
    [
      "by parts where the end of a range is included",
      none,
      (ask) => ({ audits: all.filter(({ time }) => time >= ask.from && time <= ask.to) }),
      "parts",
    ],
    [
      "by an empty page, its range being ignored",
      {},
      ({ page }) => ({ audits: page === "1" ? all : [] }),
      "empty_page",
    ],
    [
      "by an empty page, its range being rounded to the day",
      {},
      ({ page, from, to }) => ({
        audits:
          page === "1"
            ? inside(all, {
                from: Math.floor(from / 86400) * 86400,
                to: Math.ceil(to / 86400) * 86400,
              } as Ask)
            : [],
      }),
      "empty_page",
    ],
    [
      "by a total, in one second",
      none,
      (ask) => ({ audits: inside(burst, ask), total: inside(burst, ask).length }),
      "total",
    ],
    [
      "by a null cursor, in one second",
      cursor,
      (ask) => ({ audits: inside(burst, ask), next: null }),
      "null_next",
    ],
    [
      "by a missing cursor that half a page makes it name",
      cursor,
      (ask) => newPaged(inside(burst, ask), ask),
      "absent_next short_page",
    ],
    [
      "by a longer range, in one second",
      none,
      (ask) => ({ audits: inside([...burst, { time: start / 1000 + 60, event_name: "x" }], ask) }),
      "longer_range",
    ],
    [
      "by the configuration's word",
      { paging: { style: "none", whole: true }, window_params: null },
      () => ({ audits: all }),
      "whole",
    ],
    [
      "with one record, by a longer range",
      none,
      (ask) => ({ audits: inside([all[3]!, { time: day / 1000 - 60, event_name: "x" }], ask) }),
      "longer_range",
    ],
    [
      "with none, by a longer range",
      none,
      (ask) => ({ audits: inside([{ time: day / 1000 - 60, event_name: "x" }], ask) }),
      "longer_range",
    ],
    ["with none, by an empty page", {}, () => ({ audits: [] }), "empty_page"],
    [
      "with signs that mean none here",
      { ...none, ignore_signs: ["status", "total"] },
      (ask) => ({ status: 500, total: 900, audits: inside(all, ask) }),
      "parts",
    ],
  ];
  type Run = Outcome & { readonly states: readonly string[]; readonly monitored: number };
  const runs: Run[] = [];
  let doubled: number[];
  beforeAll(async () => {
    await using desk = await openDesk(cases.map(([, audits, serve]) => ({ audits, serve })));
    for (let i = 0; i < 2; i++) {
      const outcome = await desk.read();
      const monitor = ["status", "--fail-on", "gaps,unfinalized,quarantine"];
      const monitored = (await desk.home.run(monitor)).code;
      runs.push({ ...outcome, states: await desk.states(), monitored });
    }
    doubled = await perSource(desk, "count(*) - count(distinct event_key)");
  });

  it.each(cases.map(([what, , , evidence], place) => [what, evidence, place] as const))(
    "%s",
    (_what, evidence, place) => {
      expect(runs[0]!.states[place]).toBe("closed once");
      expect(runs[1]!.states[place]).toBe(`finalized ${evidence}`);
      const reported = runs[1]!.err.split(/^source /m)[place + 1];
      expect(reported).toContain(`${getSource(place)}:\n`);
      expect(reported).toContain(
        "verified complete from 2026-02-28T00:00:00Z to 2026-03-01T00:00:00Z",
      );
    },
  );

  it("with nothing duplicated, and nothing for monitoring to report", () => {
    expect(doubled.filter((count) => count !== 0)).toEqual([]);
    expect(runs.map(({ monitored }) => monitored)).toEqual([3, 0]);
  });

  it("is not finalized if nothing shows its end", async () => {
    const serve = (ask: Ask): Body => ({ audits: inside(burst, ask) });
    await using desk = await openDesk([{ audits: none, serve }]);
    await desk.read();
    const { err } = await desk.read();
    expect(await desk.states()).toEqual(["closed no_evidence"]);
    expect(err).toMatch(/^warning: not verified complete: 1 window .* set paging\.whole/m);
    await desk.read();
    expect(await desk.states()).toEqual(["closed no_evidence"]);
    const accepted = ["accept", "--from", "2026-02-28", "--to", "2026-03-01", "--reason", "seen"];
    expect((await desk.read(...accepted)).err).toContain(
      "accepted 2026-02-28T00:00:00Z to 2026-03-01T00:00:00Z",
    );
    expect(await desk.states()).toEqual(["accepted"]);
  });
});

it("a burst of equal records over many pages is stored completely after the second read", async () => {
  const same: Event[] = Array.from({ length: 300 }, () => ({
    time: day / 1000 + 7,
    event_name: "user_signin_failed",
  }));
  const part = (ask: Ask, offset: number): Event[] => inside(same, ask).slice(offset, offset + 100);
  await using desk = await openDesk([
    {
      audits: { paging: { style: "page", size: 100 } },
      serve: (ask) => ({ audits: part(ask, (Number(ask.page) - 1) * 100) }),
    },
    {
      audits: cursor,
      serve: (ask) => {
        const offset = computeOffset(ask.page);
        const next = offset + 100 < inside(same, ask).length ? String(offset + 100) : null;
        return { audits: part(ask, offset), next };
      },
    },
  ]);
  await desk.read("--no-confirm");
  for (const count of await perSource(desk, "count(*)")) expect(count).toBeGreaterThanOrEqual(100);
  for (let i = 0; i < 2; i++) {
    await desk.read();
    expect(await perSource(desk, "count(*)")).toEqual([300, 300]);
  }
});
