import { expect, it } from "vitest";
import { eventAt, hourMs, newRemote } from "../../../support/remote.ts";

const start = Date.UTC(2026, 2, 6, 10);

it.each([-90, 0, 90])(
  "status and reports show one end of the read time, by the earlier clock if the service's is %i minutes off",
  async (minutesOff) => {
    await using remote = await newRemote(start);
    const now = (): number => remote.clock.nowMs + minutesOff * 60_000;
    const last = start - 4 * hourMs;
    await remote.serve([eventAt(last - hourMs), eventAt(last)], { now });
    await remote.ingest();
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    const { out } = await remote.home.run(["status", "--json"], world);
    const [{ totals, silence }] = JSON.parse(out).sources;
    const endMs = Math.min(now(), remote.clock.nowMs);
    const end = new Date(endMs).toISOString().replace(".000Z", "Z");
    expect(totals.read_up_to).toBe(end);
    expect(silence.silent_seconds).toBe((endMs - last) / 1000);
    const report = await remote.home.run(["report", "run", "denials_list"], world);
    expect(report.err).toContain(`data up to ${end}`);
  },
);
