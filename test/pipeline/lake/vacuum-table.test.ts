import { expect, it } from "vitest";
import { unneededFiles } from "../../../pipeline/lake/vacuum.ts";
import type { Store } from "../../../pipeline/lake/store.ts";
import { temporaryFolder } from "../../support/load.ts";
import { clockedStore } from "./clocked-store.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 2, 20);

/** The ages, in milliseconds, at which files of each kind go when what is younger than that is kept. */
async function goingAt(ages: readonly number[], keepMs: number): Promise<Record<string, number[]>> {
  const { path, remove } = temporaryFolder();
  const clock = { nowMs };
  const store: Store = clockedStore(path, clock);
  const kinds = { stray: "event_rows/", probe: "_probe/" };
  for (const age of ages) {
    clock.nowMs = nowMs - age;
    for (const folder of Object.values(kinds))
      await store.put(`${folder}${age}.parquet`, Buffer.from("x"));
  }
  clock.nowMs = nowMs;
  const drafts = ages.map((age) => ({ name: `${age}.tmp`, bytes: 1, changedMs: nowMs - age }));
  const found = await unneededFiles({ ...store, drafts: () => Promise.resolve(drafts) }, keepMs);
  remove();
  const of = (why: string): number[] =>
    found
      .filter((file) => file.why === why)
      .map(({ name }) => Number(/\d+/.exec(name)![0]))
      .toSorted((a, b) => a - b);
  return { stray: of("named by nothing"), draft: of("half written"), probe: of("a probe") };
}

it("takes what is older than it keeps, and of what a publish may be putting there what is older than a week", async () => {
  const week = 7 * dayMs;
  const around = (ms: number): number[] => [ms - 1, ms, ms + 1];
  const ages = [dayMs, week, 9 * dayMs].flatMap(around);
  const after = (ms: number): number[] => ages.filter((age) => age > ms);
  expect(await goingAt(ages, dayMs)).toEqual({
    stray: after(week),
    draft: after(week),
    probe: after(dayMs),
  });
  const late = after(9 * dayMs);
  expect(await goingAt(ages, 9 * dayMs)).toEqual({ stray: late, draft: late, probe: late });
});
