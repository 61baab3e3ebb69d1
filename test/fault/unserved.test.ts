import { expect, it } from "vitest";
import { dayMs, hourMs, newRemote, type Remote } from "../support/remote.ts";
import { fewOrAll } from "./length.ts";
import { dayStart, makePlan, unservedSeconds, type Plan } from "./unserved/plan.ts";
import { listAnswers } from "./unserved/service.ts";

// Services that fail at each page with a certain record, or whose cursors expire. Everything else is loaded, and the
// unavailable seconds are coverage gaps, compared with the service's own list of records.

const all = Array.from({ length: 120 }, (_, i) => i + 1);
const seeds = fewOrAll([1, 14], all);

async function readAt(remote: Remote, plan: Plan, day: number): Promise<number> {
  remote.clock.nowMs = dayStart * 1000 + day * dayMs + 2 * hourMs;
  const audits = { paging: { style: plan.style } };
  const limits = { max_attempts: 2 };
  const config = { sources: { main: { lookback: "3d", audits, limits } } };
  const file = remote.home.write("auditlake.json", JSON.stringify(config));
  const { code } = await remote.home.run(["--config", file, "ingest"], {
    env: remote.env(),
    now: () => remote.clock.nowMs,
    sleep: () => Promise.resolve(),
  });
  return code;
}

async function storedIds(remote: Remote): Promise<string[]> {
  const rows = await remote.home.rows("select id from events order by id");
  return rows.map(({ id }) => String(id));
}

/** Seconds of the day that the ledger has as gaps, at most a thousand. */
async function gapSeconds(remote: Remote): Promise<number[]> {
  const rows = await remote.home.rows(
    `select unnest(range(epoch(stretch_start)::bigint, epoch(stretch_end)::bigint)) as second
       from read_stretches where state = 'gap' order by 1 limit 1000`,
  );
  return rows.map(({ second }) => Number(second));
}

it.each(seeds)(
  "seed %i: all available events are loaded, and the rest is a coverage gap",
  async (seed) => {
    const plan = makePlan(seed);
    const unserved = unservedSeconds(plan);
    const served = plan.events.filter(({ second }) => !unserved.includes(second));
    await using remote = await newRemote(0);
    await remote.serve([]);
    remote.fault(listAnswers(plan));
    for (const day of [1, 2]) {
      const code = await readAt(remote, plan, day);
      const stored = await storedIds(remote);
      expect(stored).toEqual(expect.arrayContaining(served.map(({ id }) => id)));
      expect(new Set(stored).size).toBe(stored.length);
      expect(await gapSeconds(remote)).toEqual(unserved);
      expect(code).toBe(unserved.length > 0 ? 6 : 0);
    }
    // The service has been repaired.
    const whole = { ...plan, servedPages: Infinity };
    const events = plan.events.map((event) => ({ ...event, isPoison: false }));
    remote.fault(listAnswers({ ...whole, events }));
    expect(await readAt(remote, plan, 2.5)).toBe(0);
    expect(await storedIds(remote)).toEqual(events.map(({ id }) => id).toSorted());
    expect(await gapSeconds(remote)).toEqual([]);
  },
);
