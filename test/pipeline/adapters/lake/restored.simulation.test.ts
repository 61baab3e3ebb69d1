import { chmodSync, copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { onePublication } from "./one-publication.ts";
import { readFiles } from "./reader.ts";
import { dyingStore, eventsInLake, readId, Killed, publishThrough, listRecords } from "./scene.ts";

// A home is restored from an older copy, and its lake has more than that.

const scene = onePublication();

/** Copies the home, and puts the copy back when called. */
function backedUp(): () => void {
  const copy = join(scene.home.folder, "copy");
  cpSync(scene.home.home, copy, { recursive: true });
  return () => {
    rmSync(scene.home.home, { recursive: true });
    cpSync(copy, scene.home.home, { recursive: true });
    chmodSync(scene.home.home, 0o700);
  };
}

async function expectRefusal(events: number): Promise<void> {
  const { home } = scene;
  for (const flags of [[], ["--dry-run"]])
    expect(failureLine(await home.lake("publish", ...flags), 1, [])).toMatch(
      /is newer than this database; .*; nothing was changed: .* auditlake .*rebuild, .* lake publish --full, which/,
    );
  expect(await eventsInLake(home.root)).toHaveLength(events);
}

it("a restored home is refused, and --full prints what the lake loses before that happens", async () => {
  const { home } = scene;
  const putBack = backedUp();
  await home.load([...listRecords(0, "again", 4), ...listRecords(4, "new", 3)]);
  await home.lake("publish");
  putBack();
  await expectRefusal(23);
  const loss =
    /^warning: the lake is newer than this database .*; the lake loses 7 rows of event_rows on 2 days since 2026-03-01, 1 row of ingest_runs, 1 row of window_reads$/m;
  const tried = await home.lake("publish", "--full", "--dry-run");
  expect([tried.code, tried.err]).toEqual([0, expect.stringMatching(loss)]);
  await expectRefusal(23);
  // What was read again by then is not lost.
  await home.load(listRecords(4, "new", 3));
  await expectRefusal(23);
  const { code, err } = await home.lake("publish", "--full");
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/loses 4 rows of event_rows on 1 day since/),
  ]);
  expect(await eventsInLake(home.root)).toHaveLength(19);
  expect((await home.lake("verify")).code).toBe(0);
  await home.load(listRecords(0, "late", 1));
  expect((await home.lake("publish")).code).toBe(0);
  expect(await eventsInLake(home.root)).toHaveLength(20);
});

it("a restored home is refused if a publish was killed that had committed more than its publication", async () => {
  const { home } = scene;
  const putBack = backedUp();
  await home.load(listRecords(4, "new", 3));
  // A file and its entry.
  const killed = publishThrough(home, dyingStore(home.root, 3, "before"), readId(home.root));
  await expect(killed).rejects.toThrow(Killed);
  expect(readFiles(home.root, "event_rows", 1)).toHaveLength(3);
  putBack();
  // Readers of publications do not see it yet.
  await expectRefusal(16);
  expect(readFiles(home.root, "event_rows", 1)).toHaveLength(3);
});

it("a restored home is accepted if its landing provides the missing reads", async () => {
  const { home } = scene;
  const names = ["warehouse.duckdb", "audit.duckdb"];
  for (const name of names) copyFileSync(join(home.home, name), join(home.folder, name));
  await home.load(listRecords(4, "new", 3));
  await home.lake("publish");
  for (const name of names) {
    rmSync(join(home.home, name));
    copyFileSync(join(home.folder, name), join(home.home, name));
  }
  await expectRefusal(19);
  expect((await home.run(["--config", home.config, "rebuild"])).code).toBe(0);
  const { code, err } = await home.lake("publish");
  expect([code, err]).toEqual([0, expect.not.stringContaining("warning")]);
  expect(await eventsInLake(home.root)).toHaveLength(19);
});

it("a home whose newest import was undone is not treated as restored", async () => {
  const { home } = scene;
  await home.load(listRecords(4, "new", 3));
  await home.lake("publish");
  const [{ read_id: id }] = (await home.rows(
    "select max_by(read_id, read_at) as read_id from window_reads",
  )) as [{ read_id: string }];
  expect((await home.run(["import", "--undo", id])).code).toBe(0);
  expect((await home.lake("publish")).code).toBe(0);
  expect(await eventsInLake(home.root)).toHaveLength(16);
});
