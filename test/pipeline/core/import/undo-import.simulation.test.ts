import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readManifests } from "../../../../pipeline/core/landing/manifests.ts";
import { landUndo } from "../../../../pipeline/core/landing/undos.ts";
import { getPagePath } from "../../../../pipeline/core/landing/store.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

// An import that is taken back leaves what would be there without it.

let home: TestHome;
beforeEach(async () => void (home = await homeWithWarehouse()));
afterEach(() => home[Symbol.dispose]());

const event = (i: number): object => ({
  time: 1_767_225_600 + i,
  event_name: "job_kill",
  user_id: i,
});
const landing = (): string => resolveHome(home.home).landing;
const readIds = (): string[] =>
  readManifests(landing()).manifests.map(({ read_id: readId }) => readId);
const users = (): Promise<unknown> =>
  home.rows("select user_id::int as id, read_id from event_rows order by 1");
const queryIds = async (): Promise<number[]> =>
  (await home.rows("select user_id::int as id from events order by 1")).map(({ id }) => Number(id));

it("prints the command that takes an import back, and that removes what it brought", async () => {
  await home.load([event(1)]);
  const { err } = await home.load([event(2), event(3), "{"]);
  const [, command] = /to undo this import: auditlake (import --undo \S+)/.exec(err)!;
  const undone = await home.run(command!.split(" "));
  expect([undone.code, undone.err]).toEqual([
    0,
    expect.stringContaining("removed 2 events and 1 quarantined record; its raw pages stay"),
  ]);
  expect(await queryIds()).toEqual([1]);
  expect(await home.count("select count(*) from quarantine")).toBe(0);
  expect((await home.run(["rebuild"])).err).toContain("same as before");
  expect(await queryIds()).toEqual([1]);
});

it("an undo leaves what a later read has shown, under that read, and its pages add up", async () => {
  await home.load([event(1), event(2), "{"]);
  await home.load([event(2), event(3), "{"]);
  const [first, second] = readIds();
  const { err } = await home.run(["import", "--undo", first!]);
  expect(err).toContain("removed 1 event and 0 quarantined records; 1 remain");
  expect(await users()).toEqual([2, 3].map((id) => ({ id, read_id: second })));
  expect(await home.count("select count(*) from quarantine")).toBe(1);
  const pages = "select fetched, inserted, duplicate, quarantined from ingest_pages";
  const counts = { fetched: "3", inserted: "2", duplicate: "0", quarantined: "1" };
  expect(await home.rows(pages)).toEqual([counts]);
  expect((await home.run(["rebuild"])).err).toContain("same as before");
});

it("an undo permits importing the same file again", async () => {
  await home.load([event(1)]);
  await home.run(["import", "--undo", readIds()[0]!]);
  const { err } = await home.load([event(1)]);
  expect(err).toContain("1 record, 1 new, 0 duplicates");
});

it("an interrupted undo is finished by the next run, also in a restored database", async () => {
  await home.load([event(1)]);
  await home.load([event(2)]);
  const [, manifest] = readManifests(landing()).manifests;
  const { read_id, run_id, source } = manifest!;
  await landUndo(landing(), {
    version: 1,
    read_id,
    run_id,
    source,
    undone_at: "2026-01-02 00:00:00",
  });
  await home.load([event(3)]);
  expect(await queryIds()).toEqual([1, 3]);
});

it("an undo refuses what is not an import, and one whose events may belong to other reads that are not on the disk", async () => {
  await home.load([event(1), event(2)]);
  await home.load([event(2)]);
  const [first, second] = readManifests(landing()).manifests;
  const other = await home.run(["import", "--undo", "other"]);
  expect([other.code, other.err]).toEqual([
    2,
    expect.stringContaining(`the latest are ${second!.read_id}`),
  ]);
  rmSync(getPagePath(landing(), second!.pages[0]!));
  const { code, err } = await home.run(["import", "--undo", first!.read_id]);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("nothing was changed: the raw pages of read"),
  ]);
  expect(await queryIds()).toEqual([1, 2]);
  expect((await home.run(["import", "--undo", second!.read_id])).code).toBe(0);
  expect((await home.run(["import", "--undo", second!.read_id])).err).toContain("already undone");
});
