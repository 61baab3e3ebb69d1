import { afterEach, beforeEach, expect, it } from "vitest";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

const start = Date.UTC(2026, 2, 6, 10);
let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start);
  await remote.serve(Array.from({ length: 30 }, (_, i) => eventAt(start - i * 2 * hourMs)));
});
afterEach(() => remote[Symbol.asyncDispose]());

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return remote.home.run(argv, { env: remote.env(), now: () => remote.clock.nowMs });
}

// The service has whole seconds. Each request takes a part of one, so that windows are requested in different ones.
it.each([1, 372])(
  "a backfill up to now that starts %i ms into a second leaves no coverage gap, regardless of its duration",
  async (intoSecondMs) => {
    for (const tookMs of [90, 200]) {
      remote.clock.nowMs += dayMs / 4 - (remote.clock.nowMs % 1000) + intoSecondMs;
      remote.fault(() => {
        remote.clock.nowMs += tookMs;
        return false;
      });
      const { err } = await cli("ingest", "--from", "3d");
      expect(err).not.toContain("gap");
      const { code, out } = await cli("status", "--fail-on", "gaps");
      expect([code, out]).toEqual([0, expect.stringMatching(/gaps +none/)]);
    }
  },
);

it("a backfill whose last window failed leaves that window as a coverage gap, up to its end", async () => {
  const today = start - (start % dayMs);
  remote.fault(({ url }, response) => {
    const from = Number(/[?&]from=(\d+)/.exec(url ?? "")?.[1]);
    if (from < today / 1000) return false;
    response.writeHead(404).end();
    return true;
  });
  expect((await cli("ingest", "--from", "2d")).code).toBe(6);
  const { code, out, err } = await cli("status", "--fail-on", "unfinalized,drift,gaps");
  expect([code, out]).toEqual([
    3,
    expect.stringContaining("gaps                2026-03-06 00:00:00 to 2026-03-06 10:00:00"),
  ]);
  expect(err).toBe("found: gaps\n");
});
