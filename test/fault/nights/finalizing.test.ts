import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { asksFor, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// The scheduled reading over several nights: when a window is final, and how far the checkpoint may go.

const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
const daily = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: (to - from) * 4 }, (_, i) => eventAt(day(from) + i * 6 * hourMs + 1000));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(day(0) + 2 * hourMs);
});
afterEach(async () => {
  expect(await books()).toEqual([]);
  await remote[Symbol.asyncDispose]();
});

// Nothing in the ledger may contradict itself.
const books = (): Promise<unknown> =>
  remote.home.rows(
    `select r.run_id from ingest_runs as r
     left join (select run_id, sum(fetched) f, sum(inserted) i, sum(duplicate) d, sum(quarantined) q, count(*) n from ingest_pages group by 1) as p on p.run_id = r.run_id
     where (r.fetched, r.inserted, r.duplicate, r.quarantined, r.pages)
       is distinct from (coalesce(p.f, 0), coalesce(p.i, 0), coalesce(p.d, 0), coalesce(p.q, 0), coalesce(p.n, 0))
       or r.fetched <> r.inserted + r.duplicate + r.quarantined`,
  );
const checkpoint = async (): Promise<unknown> =>
  (await remote.home.rows("select finalized_until from checkpoints"))[0]?.["finalized_until"];
const night = async (atMs: number, code = 0): Promise<string> => {
  remote.clock.nowMs = atMs;
  const outcome = await remote.ingest();
  expect([outcome.err, outcome.code]).toEqual([outcome.err, code]);
  return outcome.err;
};

describe("the checkpoint", () => {
  it("does not pass over a first window that failed", async () => {
    await remote.serve(daily(-2, 6));
    remote.fault((request, response) => {
      if (!asksFor(request, day(-2))) return false;
      response.writeHead(404).end();
      return true;
    });
    for (const n of [0, 3]) await night(day(n) + 2 * hourMs, 6);
    expect(await checkpoint()).toBe(text(day(-2)));
    remote.fault(undefined);
    await night(day(4));
    await night(day(4) + hourMs);
    expect(
      await remote.home.count("select count(*) from events where event_date < '2026-02-28'"),
    ).toBe(4);
    expect(await checkpoint()).toBe(text(day(3)));
  });

  it("brings back what nights without a run have missed", async () => {
    await remote.serve(daily(-2, 20));
    await night(day(0) + 2 * hourMs);
    await night(day(0) + 3 * hourMs);
    await night(day(12) + 2 * hourMs);
    expect(await remote.home.count("select count(distinct event_date) from events")).toBe(15);
    await night(day(12) + 3 * hourMs);
    expect(await checkpoint()).toBe(text(day(12)));
  });
});
