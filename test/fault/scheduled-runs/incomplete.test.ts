import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";
import type { Outcome } from "../../support/command.ts";

// Services whose answers are incomplete by what they show themselves, and services that select by arrival.

const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
const log = Array.from({ length: 60 }, (_, i) => eventAt(day(-4) + i * 4 * hourMs));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(day(0) + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

const runOn = (n: number, argv: readonly string[] = []): Promise<Outcome> => {
  remote.clock.nowMs = day(n) + 2 * hourMs;
  return remote.ingest(argv);
};
const status = (...argv: string[]): Promise<Outcome> =>
  remote.home.run(["status", ...argv], { env: remote.env(), now: () => remote.clock.nowMs });

/** Answers with one page of two records, and a sign that there are more. */
function answerWith(more: object): void {
  remote.fault((request, response) => {
    const url = new URL(request.url!, "http://x");
    if (!url.pathname.startsWith("/v4/")) return false;
    const [from, to] = ["from", "to"].map((name) => Number(url.searchParams.get(name)));
    const held = log.filter(({ record: { time } }) => Number(time) >= from! && Number(time) < to!);
    const isFirst = (url.searchParams.get("page") ?? "1") === "1";
    const audits = isFirst ? held.slice(0, 2).map(({ record }) => record) : [];
    response.setHeader("Date", new Date(remote.clock.nowMs).toUTCString());
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ audits, ...more }));
    return true;
  });
}

describe("a read with contradictions in its answers", () => {
  it.each([
    ["a total that is not reached", { total: 6 }],
    ["a next page that is not followed", { next_cursor: "abc" }],
    ["an answer that is truncated", { truncated: true }],
  ])("makes the first run exit with 6, and the message names doctor: %s", async (_what, more) => {
    await remote.serve(log);
    answerWith(more);
    const audits = { paging: { style: "none" } };
    const config = remote.home.write("none.json", JSON.stringify({ sources: { s: { audits } } }));
    const argv = ["--quiet", "--config", config, "ingest"];
    const { code, err } = await remote.home.run(argv, {
      env: remote.env(),
      now: () => remote.clock.nowMs,
    });
    expect(code).toBe(6);
    expect(err).toMatch(
      /^error: data is incomplete, 3 windows, .*; run auditlake .*doctor --source s to find/m,
    );
    const { out } = await status();
    expect(out).toMatch(/last error.*\n.*data is incomplete/);
    expect(out).toContain("no complete scheduled run yet");
  });

  it("is no longer the last error after a complete run, and its events do not count as late", async () => {
    await remote.serve(log);
    answerWith({ total: 6 });
    expect((await runOn(0, ["--confirm"])).code).toBe(6);
    remote.fault(undefined);
    expect((await runOn(0.25, ["--confirm"])).code).toBe(0);
    const { out } = await status();
    expect(out).not.toContain("last error");
    expect(out).toMatch(/lateness +none seen/);
  });
});

describe("status --fail-on unfinalized", () => {
  const scheduled = { schedule: { jobs: { daily: { cron: "0 2 * * *", ingest: {} } } } };
  const failOn = (config?: string): Promise<Outcome> =>
    status(...(config === undefined ? [] : ["--config", config]), "--fail-on", "unfinalized");

  it("allows two scheduled runs after a window closed", async () => {
    await remote.serve(log);
    answerWith({ total: 6 });
    const config = remote.home.write("scheduled.json", JSON.stringify(scheduled));
    await runOn(0);
    expect((await failOn(config)).code).toBe(0);
    await runOn(1);
    expect((await failOn(config)).code).toBe(3);
  });

  it("allows 48 hours without a schedule", async () => {
    await remote.serve(log);
    await runOn(0, ["--from", "2026-02-28", "--to", "2026-03-01"]);
    remote.clock.nowMs = day(2);
    expect((await failOn()).code).toBe(0);
    remote.clock.nowMs = day(2) + hourMs;
    expect((await failOn()).code).toBe(3);
  });
});

describe("a service that selects by arrival", () => {
  it("returns an event late, and the day of that event stays finalized", async () => {
    const late = eventAt(day(-1) + hourMs, day(0) + 12 * hourMs, { id: "late" });
    const all = [...log, late];
    await remote.serve(all);
    // Each record belongs to the window in which it became visible.
    remote.fault((request, response) => {
      const url = new URL(request.url!, "http://x");
      if (!url.pathname.startsWith("/v4/")) return false;
      const [from, to] = ["from", "to"].map((name) => Number(url.searchParams.get(name)) * 1000);
      const arrived = all.filter(
        ({ visibleAt }) => visibleAt <= remote.clock.nowMs && visibleAt >= from! && visibleAt < to!,
      );
      const isFirst = (url.searchParams.get("page") ?? "1") === "1";
      const audits = isFirst ? arrived.map(({ record }) => record) : [];
      response.setHeader("Date", new Date(remote.clock.nowMs).toUTCString());
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ audits }));
      return true;
    });
    const codes: number[] = [];
    for (const n of [0, 1, 2, 3, 4, 5]) codes.push((await runOn(n)).code);
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    const { out } = await status();
    expect(out).toMatch(/gaps +none/);
    expect(out).toMatch(/no longer returned +0/);
    expect(
      await remote.home.count(
        "select count(*) from ingest_windows where state in ('closed', 'gap')",
      ),
    ).toBe(1);
  });
});
