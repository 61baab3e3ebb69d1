import { expect, it } from "vitest";
import {
  type Action,
  formatEntryName,
  writeEntry,
} from "../../../../pipeline/adapters/lake/log.ts";
import { listUnneededFiles } from "../../../../pipeline/adapters/lake/vacuum.ts";
import type { Store } from "../../../../pipeline/adapters/lake/store.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { clockedStore } from "./clocked-store.ts";

type Ages = Readonly<Record<string, number>>;

/** The files that go where all that is younger than a day is kept: a log is given with the age of each file. */
async function readGoing(log: readonly (readonly Action[])[], ages: Ages): Promise<string[]> {
  const { path, remove } = temporaryFolder();
  const clock = { nowMs };
  const store = clockedStore(path, clock);
  const entries = log.map(
    (actions, version) => [formatEntryName("event_rows", version), actions] as const,
  );
  for (const [name, ms] of Object.entries(ages)) {
    clock.nowMs = nowMs - ms;
    const entry = entries.find(([each]) => each.endsWith(`${name}.json`));
    const bytes = entry === undefined ? Buffer.from("x") : writeEntry(entry[1]);
    await store.put(entry?.[0] ?? `event_rows/${name}`, bytes);
  }
  clock.nowMs = nowMs;
  const found = await listUnneededFiles(store, dayMs);
  remove();
  return found.map(({ name, why }) => `${name}: ${why}`);
}

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 2, 20);

/** The ages, in milliseconds, at which files of each kind are deleted with that retention. */
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
  const found = await listUnneededFiles(
    { ...store, drafts: () => Promise.resolve(drafts) },
    keepMs,
  );
  remove();
  const of = (why: string): number[] =>
    found
      .filter((file) => file.why === why)
      .map(({ name }) => Number(/\d+/.exec(name)![0]))
      .toSorted((a, b) => a - b);
  return { stray: of("named by nothing"), draft: of("half written"), probe: of("a probe") };
}

it("removes files past the retention, and unreferenced ones that a publish may be writing after a week", async () => {
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

it("removes files that were replaced before the retention, and no version since then has", async () => {
  const file = (path: string) => ({ path, size: 1, partitionValues: {}, dataChange: true });
  const add = (path: string): Action => ({ add: { ...file(path), modificationTime: 1 } });
  const removal = (path: string): Action => ({ remove: file(path) });
  const log = [
    [add("a.parquet"), add("b.parquet"), add("c.parquet")],
    [removal("a.parquet"), removal("b.parquet"), removal("c.parquet"), add("d.parquet")],
    [removal("d.parquet"), add("e.parquet")],
  ];
  const ages = { "a.parquet": dayMs - 1, "b.parquet": dayMs, "c.parquet": dayMs + 1 };
  const old = { ...ages, "d.parquet": 3 * dayMs, "e.parquet": dayMs - 1, "0": 3 * dayMs };
  const c = "event_rows/c.parquet: replaced";
  const d = "event_rows/d.parquet: replaced";
  // A version of exactly this moment may be the one that a reader started with just before another.
  for (const [newest, going] of [
    [dayMs - 1, [c]],
    [dayMs, [c]],
    [dayMs + 1, [c, d]],
  ] as const)
    expect(await readGoing(log, { ...old, "1": 2 * dayMs, "2": newest })).toEqual(going);
  // As long as the entry that removes them may be new to a reader, they stay.
  expect(await readGoing(log.slice(0, 2), { ...old, "1": dayMs })).not.toContain(c);
});

it("uses the time of the store, leaves no trace, and removes nothing if the store has no time", async () => {
  const { path, remove } = temporaryFolder();
  const store = clockedStore(path, { nowMs });
  expect(await listUnneededFiles(store, dayMs)).toEqual([]);
  expect(await store.list("")).toEqual([]);
  for (const list of [
    () => Promise.resolve([]),
    async () => (await store.list("")).map((file) => ({ ...file, changedMs: NaN })),
  ])
    await expect(listUnneededFiles({ ...store, list }, dayMs)).rejects.toThrow(
      /does not report the modification times of files; nothing was removed/,
    );
  remove();
});
