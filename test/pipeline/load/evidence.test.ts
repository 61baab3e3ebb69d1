import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { homeWithWarehouse, type Outcome, type TestHome } from "../../support/home.ts";
import { testKey } from "../../support/key.ts";
import { dayMs, hourMs } from "../../support/remote.ts";

// A window is final only on evidence of its end: services that cut their answers off, and services that cannot show
// more than they do. Each service is a function from a request to a body.

const start = Date.UTC(2026, 2, 1);
const day = start - dayMs;

type Ask = {
  /** Epoch seconds. */
  readonly from: number;
  readonly to: number;
  readonly page: string | null;
  readonly size: number;
  readonly query: URLSearchParams;
};
type Body = object | { readonly link: string; readonly body: object };
type Event = { readonly time: number; readonly id?: string; readonly event_name: string };

const events = (count: number, everyMs = dayMs / count): Event[] =>
  Array.from({ length: count }, (_, i) => ({
    time: Math.floor((day + i * everyMs) / 1000),
    id: `e${i}`,
    event_name: "job_kill",
  }));
const inside = (all: readonly Event[], { from, to }: Ask): Event[] =>
  all.filter(({ time }) => time >= from && time < to);

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

type Desk = {
  readonly home: TestHome;
  readonly asked: Ask[];
  /** One more run over the day, an hour after the one before. */
  readonly read: (...argv: string[]) => Promise<Outcome>;
  readonly state: () => Promise<string>;
};

async function desk(audits: object, serve: (ask: Ask) => Body): Promise<Desk> {
  const asked: Ask[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    response.setHeader("Content-Type", "application/json");
    if (url.pathname !== "/v4/audits") return void response.end('{"users":[{"id":1}]}');
    const { searchParams: query } = url;
    const ask: Ask = {
      from: Number(query.get("from") ?? 0),
      to: Number(query.get("to") ?? Infinity),
      page: query.get("page"),
      size: Number(query.get("per_page") ?? 1000),
      query,
    };
    asked.push(ask);
    const answer = serve(ask);
    if ("link" in answer) response.setHeader("Link", answer.link);
    response.end(JSON.stringify("link" in answer ? answer.body : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const home = await homeWithWarehouse();
  close = async () => {
    home[Symbol.dispose]();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const config = home.write("c.json", JSON.stringify({ sources: { s: { audits } } }));
  const env = {
    AUDITLAKE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AUDITLAKE_API_KEY: testKey,
  };
  let nowMs = start + 2 * hourMs;
  const read = async (...argv: string[]): Promise<Outcome> => {
    nowMs += hourMs;
    const range = argv.includes("accept") ? [] : ["--from", "2026-02-28", "--to", "2026-03-01"];
    return home.run(["--config", config, "ingest", ...argv, ...range], { env, now: () => nowMs });
  };
  const state = async (): Promise<string> => {
    const [row] = await home.rows(
      "select state, reason, array_to_string(evidence, ' ') as evidence, array_to_string(signs, ' ') as signs from ingest_windows where window_start = timestamp '2026-02-28'",
    );
    return [row?.["state"], row?.["reason"], row?.["evidence"], row?.["signs"]]
      .filter((part) => part !== null && part !== "")
      .join(" ");
  };
  return { home, asked, read, state };
}

const none = { paging: { style: "none" } };
const cursor = { paging: { style: "cursor", next_at: "next", param: "page" } };
const offsetOf = (page: string | null): number => Number(page ?? 0);

describe("an answer that is cut off", () => {
  const all = events(50);
  const capped = (ask: Ask, cap: number): Event[] => inside(all, ask).slice(0, cap);
  const cut: [string, object, (ask: Ask) => Body][] = [
    ["at a cap, without a word", none, (ask) => ({ audits: capped(ask, 20) })],
    ["at its newest records", none, (ask) => ({ audits: inside(all, ask).slice(-20) })],
    [
      "before a cursor that nobody follows",
      none,
      (ask) => ({ audits: capped(ask, 20), next_cursor: "abc" }),
    ],
    [
      "before a cursor under another key",
      { paging: { style: "cursor", next_at: "wrong", param: "page" } },
      (ask) => ({ audits: capped(ask, 20), paging: { cursors: null, nextCursor: "abc" } }),
    ],
    [
      "before a link that nobody follows",
      none,
      (ask) => ({ link: '<http://127.0.0.1/x>; rel="next"', body: { audits: capped(ask, 20) } }),
    ],
    [
      "below its total",
      none,
      (ask) => ({ audits: capped(ask, 20), total: inside(all, ask).length }),
    ],
    ["with more to come", none, (ask) => ({ audits: capped(ask, 20), has_more: true })],
    ["beside an error", none, (ask) => ({ audits: capped(ask, 20), error: "incomplete" })],
    ["without success", none, (ask) => ({ audits: capped(ask, 20), success: false })],
    ["in part", none, (ask) => ({ audits: capped(ask, 20), meta: { truncated: true } })],
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
  it.each(cut)("%s is never final, and all that came is kept", async (_what, audits, serve) => {
    const { home, read, state } = await desk(audits, serve);
    for (let i = 0; i < 4; i++) {
      const { code } = await read();
      expect(code).toBe(0);
      expect(await state()).toMatch(/^closed /);
    }
    expect(await home.count("select count(*) from events")).toBeGreaterThanOrEqual(20);
    const { out } = await home.run(["status"]);
    expect(out).toMatch(/warning: not final: 1 window of 2026-02-28T00:00:00Z/);
    const monitored = await home.run(["status", "--fail-on", "gaps,unfinalized"]);
    expect([monitored.code, monitored.err]).toEqual([3, "found: unfinalized\n"]);
  });
});

describe("a window is final", () => {
  const all = events(50);
  const burst: Event[] = Array.from({ length: 9 }, (_, i) => ({
    time: day / 1000 + 5,
    id: `b${i}`,
    event_name: "job_kill",
  }));
  const paged = (list: readonly Event[], { page, size }: Ask): Body => {
    const offset = offsetOf(page);
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
      (ask) => paged(inside(burst, ask), ask),
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
  it.each(cases)("%s", async (_what, audits, serve, evidence) => {
    const { home, read, state } = await desk(audits, serve);
    await read();
    expect(await state()).toBe("closed once");
    const monitor = ["status", "--fail-on", "gaps,unfinalized,quarantine"];
    expect((await home.run(monitor)).code).toBe(3);
    const { err } = await read();
    expect(await state()).toBe(`finalized ${evidence}`);
    expect(err).toContain("final from 2026-02-28T00:00:00Z to 2026-03-01T00:00:00Z");
    expect(await home.count("select count(*) - count(distinct event_key) from events")).toBe(0);
    expect((await home.run(monitor)).code).toBe(0);
  });

  it("and is not where nothing shows its end", async () => {
    const { read, state } = await desk(none, (ask) => ({ audits: inside(burst, ask) }));
    await read();
    const { err } = await read();
    expect(await state()).toBe("closed no_evidence");
    expect(err).toMatch(/^warning: not final: 1 window .* set paging\.whole/m);
    await read();
    expect(await state()).toBe("closed no_evidence");
    const accepted = ["accept", "--from", "2026-02-28", "--to", "2026-03-01", "--reason", "seen"];
    expect((await read(...accepted)).err).toContain(
      "accepted 2026-02-28T00:00:00Z to 2026-03-01T00:00:00Z",
    );
    expect(await state()).toBe("accepted");
  });
});

it("a burst of equal records over many pages is stored whole after the second read", async () => {
  const same: Event[] = Array.from({ length: 300 }, () => ({
    time: day / 1000 + 7,
    event_name: "user_signin_failed",
  }));
  for (const audits of [{ paging: { style: "page", size: 100 } }, { ...cursor }]) {
    const { home, read } = await desk(audits, (ask) => {
      const isCursor = audits.paging.style === "cursor";
      const offset = isCursor ? offsetOf(ask.page) : (Number(ask.page) - 1) * 100;
      const list = inside(same, ask);
      const next = offset + 100 < list.length ? String(offset + 100) : null;
      return { audits: list.slice(offset, offset + 100), ...(isCursor ? { next } : {}) };
    });
    await read("--no-confirm");
    expect(await home.count("select count(*) from events")).toBeGreaterThanOrEqual(100);
    await read();
    expect(await home.count("select count(*) from events")).toBe(300);
    await read();
    expect(await home.count("select count(*) from events")).toBe(300);
    await close?.();
    close = undefined;
  }
});
