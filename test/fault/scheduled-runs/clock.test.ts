import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import type { Outcome } from "../../support/command.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";

// Runs on a machine with a wrong clock.

const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
const log = Array.from({ length: 60 }, (_, i) => eventAt(day(-4) + i * 4 * hourMs));

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(day(0) + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

/** A run with the right clock at the service and a shifted one on this machine. */
const runOnDay = (n: number, offMs = 0): Promise<Outcome> => {
  remote.clock.nowMs = day(n) + 2 * hourMs;
  return remote.ingest([], { now: () => remote.clock.nowMs + offMs });
};
const hasLanded = (): boolean =>
  ["reads", "pages", "users"].some((kind) => existsSync(join(remote.home.home, "landing", kind)));
/** Rows of the ledger and of the directory; the published file holds them all. */
const rows = (): Promise<number> =>
  remote.home.count(
    "select (select count(*) from window_reads) + (select count(*) from ingest_runs) + (select count(*) from users)",
  );
const users = [{ id: 7, email: "jo@example.com", administrator: false }];
const printNoTime = (): void =>
  remote.fault((_request, response) => {
    response.removeHeader("Date");
    response.sendDate = false;
    return false;
  });

describe("a local clock", () => {
  const wrong = [
    ["400 d ahead", 400 * dayMs, /clock is 400 d ahead of the service's/],
    ["400 d behind", -400 * dayMs, /clock is 400 d behind the service's/],
    [
      "31 h ahead",
      31 * hourMs,
      /clock is 31 h ahead of the service's, expected 30 h at most; set it/,
    ],
  ] as const;

  it.each(wrong)(
    "that is %s ends the first run before anything is stored",
    async (_, off, text) => {
      await remote.serve(log, { users });
      const failed = await runOnDay(0, off);
      expect(failureLine(failed, 1, [])).toMatch(text);
      expect([hasLanded(), await rows()]).toEqual([false, 0]);
      expect((await runOnDay(0)).err).toMatch(/^reading 2026-02-27T02:00:00Z to 2026-03-01T02/m);
    },
  );

  it.each(fewOrAll(wrong.slice(0, 1), wrong))(
    "that is %s for one run does not affect the next run",
    async (_, off, text) => {
      await remote.serve(log, { users });
      await runOnDay(0);
      const before = await rows();
      const failed = await runOnDay(1, off);
      expect(failureLine(failed, 1, [])).toMatch(text);
      expect(await rows()).toBe(before);
      const { err } = await runOnDay(2);
      expect(err).toContain("reading 2026-02-27T00:00:00Z to 2026-03-03T02:00:00Z");
      expect((await runOnDay(3)).err).toContain("to 2026-03-03T00:00:00Z");
    },
  );

  // By a clock that is behind, a day closes in a later run.
  it.each([
    [-5 * hourMs, "2026-03-02"],
    [5 * hourMs, "2026-03-03"],
  ])("that is off by %i ms is accepted", async (off, finalUntil) => {
    await remote.serve(log, { users });
    const runs = [
      await runOnDay(0, off),
      await runOnDay(1),
      await runOnDay(2, off),
      await runOnDay(3),
    ];
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(runs[3]!.err).toContain(`to ${finalUntil}T00:00:00Z`);
    expect((await runOnDay(4)).err).toContain("to 2026-03-04T00:00:00Z");
  });

  it("that is ahead for one run, together with the service's, closes no window that the next run skips", async () => {
    let aheadMs = 20 * hourMs;
    await remote.serve(log, { users, now: () => remote.clock.nowMs + aheadMs });
    expect((await runOnDay(0, aheadMs)).code).toBe(0);
    aheadMs = 0;
    const { err } = await runOnDay(0, hourMs);
    expect(err).toMatch(/^warning: 1 earlier run used a clock that was ahead: /m);
    expect(err).not.toContain("verified complete from");
    expect(
      await remote.home.count("select count(*) from ingest_windows where state = 'finalized'"),
    ).toBe(0);
    const states = "select window_start, state from ingest_windows order by window_start";
    const before = await remote.home.rows(states);
    expect(await remote.home.run(["rebuild"])).toMatchObject({ code: 0 });
    expect(await remote.home.rows(states)).toEqual(before);
  });

  it.each([-400, 400])(
    "that is off by %i days only causes a warning if the range is given",
    async (days) => {
      await remote.serve(log, { users });
      const now = (): number => remote.clock.nowMs + days * dayMs;
      const range = ["--from", "2026-02-25", "--to", "2026-02-28"];
      const { code, err } = await remote.ingest(range, { now });
      expect(code).toBe(0);
      expect(
        err.match(/^warning: this machine's clock is 400 d .*correct it \(NTP\): .*/gm),
      ).toHaveLength(1);
      expect(await remote.home.count("select count(*) from events")).toBe(18);
    },
  );

  it("is checked also if no user list is available", async () => {
    await remote.serve(log, { users });
    remote.fault((request, response) => {
      if (!request.url!.startsWith("/v3/")) return false;
      response.writeHead(404).end();
      return true;
    });
    expect(failureLine(await runOnDay(0, 400 * dayMs), 1, [])).toMatch(
      /400 d ahead of the service's/,
    );
    expect([hasLanded(), await rows()]).toEqual([false, 0]);
  });
});

describe("a service without a Date header", () => {
  it("a backfill moves aside the reads of a clock that was 400 days ahead", async () => {
    await remote.serve(log, { users });
    printNoTime();
    expect((await runOnDay(0, 400 * dayMs)).code).toBe(0);
    const refused = await runOnDay(1);
    expect(failureLine(refused, 1, [])).toMatch(
      /399 d behind .*; if it is right, run auditlake ingest --from 2d/,
    );
    expect((await remote.ingest(["--from", "2d"])).code).toBe(0);
    expect(await runOnDay(1)).toMatchObject({ code: 0 });
  });

  it("a clock behind the newest read is refused, and one ahead cannot be detected", async () => {
    await remote.serve(log, { users });
    printNoTime();
    expect((await runOnDay(1)).code).toBe(0);
    const before = await rows();
    expect(failureLine(await runOnDay(2, -400 * dayMs), 1, [])).toMatch(
      /clock is 399 d behind the newest stored read/,
    );
    expect(await rows()).toBe(before);
    expect((await runOnDay(2)).code).toBe(0);
  });
});
