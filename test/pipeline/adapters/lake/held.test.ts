import { expect, it, onTestFinished } from "vitest";
import { fetchedFiles } from "../../../../pipeline/adapters/lake/fetched.ts";
import {
  againOf,
  heldBefore,
  heldDays,
  heldLabels,
  isOther,
  keptAs,
} from "../../../../pipeline/adapters/lake/held.ts";
import type { AddFile } from "../../../../pipeline/adapters/lake/log.ts";
import { tag } from "../../../../pipeline/adapters/lake/snapshot.ts";
import type { Store } from "../../../../pipeline/adapters/lake/store.ts";
import type { LakeTable } from "../../../../pipeline/adapters/lake/tables.ts";
import { temporaryFolder } from "../../../support/load.ts";

const file = (as?: string): AddFile =>
  ({ path: "gone.parquet", tags: as === undefined ? {} : { [tag.kept]: as } }) as AddFile;

it.each<[what: string, days: Record<string, string | undefined>, before: string | undefined]>([
  ["a whole day", { "2026-01-01": "day", "2026-01-09": undefined }, "2026-01-02"],
  ["more rows of one", { "2026-01-01": "day", "2026-01-31": "rows" }, "2026-02-01"],
  ["other rows of jobs alone", { "2026-01-01": "jobs" }, undefined],
  ["nothing", { "2026-01-01": undefined }, undefined],
  ["the last of a year", { "2027-12-31": "day" }, "2028-01-01"],
  ["the last but one of a leap year's month", { "2028-02-28": "rows" }, "2028-02-29"],
  ["the last day but one that there is", { "9999-12-30": "day" }, "9999-12-31"],
  ["the last day that there is", { "9999-12-31": "day" }, "9999-12-31"],
])("where the lake has %s more than the database", (_, days, before) => {
  const own = new Map(Object.entries(days).map(([day, as]) => [day, [file(as)]]));
  expect(heldBefore(own)).toBe(before);
});

const same = { [tag.look]: "here" };
const other = { [tag.look]: "there" };
const as = (kept: string): Record<string, string> => ({ [tag.kept]: kept });
const restored = { before: "2026-01-09", isFormer: false };
const former = { ...restored, isFormer: true };
const keyed = { key: ["id"] } as unknown as LakeTable;

it.each<
  [
    what: string,
    tags: Record<string, string>,
    back: typeof restored | undefined,
    day: string,
    isHeld: boolean,
  ]
>([
  ["said to have more rows", { ...same, ...as("rows") }, undefined, "2026-01-09", true],
  ["said to be a whole day, as here", { ...same, ...as("day") }, former, "2026-01-01", false],
  ["said to be a whole day, not as here", { ...other, ...as("day") }, undefined, "", true],
  ["with other rows of jobs", { ...other, ...as("jobs") }, undefined, "2026-01-01", false],
  ["with other rows of jobs, put back", { ...other, ...as("jobs") }, restored, "", true],
  ["that says nothing", other, undefined, "2026-01-01", false],
  ["not as here, put back", other, restored, "2026-01-08", true],
  ["not as here, of the day put back", other, restored, "2026-01-09", false],
  ["of a whole table, put back", other, restored, "", true],
  ["as here, put back", same, restored, "2026-01-08", false],
  ["as here, put back by an earlier version", same, former, "2026-01-08", true],
  ["as here, of the day put back then", same, former, "2026-01-09", false],
])("a day %s is held or not", (_, tags, back, day, isHeld) => {
  const own = new Map([[day, [{ ...file(), tags }]]]);
  const looks = new Map([[day, "here"]]);
  const held = heldDays(own, { looks }, back, keyed);
  expect([...held]).toEqual(isHeld ? [day] : []);
  // Rows without a key cannot be brought together: of those, only what the files say counts.
  const isSaid = tag.kept in tags && tags[tag.kept] !== "jobs";
  expect([...heldDays(own, { looks }, back, {} as LakeTable)]).toEqual(
    isHeld && isSaid ? [day] : [],
  );
});

it("brings together again what an earlier version did, where the database has rows of the day", () => {
  const days = new Set(["1", "3"]);
  const held = new Set(["1", "2"]);
  const again = [former, restored, undefined].map((back) => againOf(held, { days }, back));
  expect(again).toEqual([["1"], [], []]);
});

it("labels files of held days that the database has nothing of, once, and changes no rows by that", () => {
  const own = new Map([
    ["1", [file(), { ...file(), path: "second.parquet", tags: same }]],
    ["2", [file("rows")]],
    ["3", [file()]],
    ["4", [file()]],
  ]);
  const labelled = { dataChange: false, tags: as("day") };
  expect(heldLabels(own, new Set(["1", "2", "4"]), ["1", "2", "3"])).toEqual([
    { path: "gone.parquet", ...labelled },
    { path: "second.parquet", ...labelled, tags: { ...same, ...labelled.tags } },
  ]);
});

it("files have other rows where they say so, and of a whole day where its digest is another one", () => {
  const of = (kept?: string, digest = "d"): AddFile[] => [
    { ...file(kept), tags: { ...file(kept).tags, [tag.digest]: digest } },
  ];
  // Lakes that are there have these words.
  expect(Object.values(keptAs)).toEqual(["day", "rows", "jobs"]);
  const all = [undefined, ...Object.values(keptAs)];
  expect(all.map((kept) => isOther(of(kept), "d"))).toEqual([false, false, true, true]);
  expect(all.map((kept) => isOther(of(kept), undefined))).toEqual([false, true, true, true]);
  expect([isOther(undefined, "d"), isOther(of("day", "e"), "d")]).toEqual([false, true]);
});

it("says what to do for a file that the lake lacks, by what the database has of its day", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const store = { place: "/lake", get: () => Promise.resolve(undefined) } as unknown as Store;
  const fetched = (isHeld?: boolean): Promise<string[]> =>
    fetchedFiles(store, "job_rows", [file()], path, isHeld);
  await expect(fetched()).rejects.toThrow(
    "the lake /lake lacks job_rows/gone.parquet, which its log names; put it back from a copy, since the database no longer has these events",
  );
  await expect(fetched(true)).rejects.toThrow("or run auditlake lake publish --full");
});
