import { chmodSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderStore } from "../../../../pipeline/adapters/lake/folder.ts";
import { oneNight } from "./one-night.ts";
import { filesOf, versionsOf } from "./reader.ts";
import { dyingStore, eventsInLake, idOf, Killed, publishThrough, recordsOf } from "./scene.ts";

// A home is put back from an older copy: what its lake has by then stays there.

const scene = oneNight();

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

it("keeps what a publish had committed that was killed before its publication", async () => {
  const { home } = scene;
  const putBack = backedUp();
  await home.load(recordsOf(4, "new", 3));
  // A file and its entry.
  const killed = publishThrough(home, dyingStore(home.root, 3, "before"), idOf(home.root));
  await expect(killed).rejects.toThrow(Killed);
  const committed = filesOf(home.root, "event_rows", 1);
  expect(committed).toHaveLength(3);
  putBack();
  await publishThrough(home, folderStore(home.root), idOf(home.root));
  expect(await eventsInLake(home.root)).toHaveLength(19);
});

it("heals and verifies days again that the database has whole, once they were read again", async () => {
  const { home } = scene;
  const putBack = backedUp();
  const again = recordsOf(0, "again", 4);
  await home.load(again);
  await home.lake("publish");
  putBack();
  await home.lake("publish");
  expect(await eventsInLake(home.root)).toHaveLength(20);
  const lost = (day: number): string =>
    join(
      home.root,
      "event_rows",
      filesOf(home.root, "event_rows", versionsOf(home.root)["event_rows"]!)[day]!,
    );
  // Some of the first day is in the lake alone, the second is here whole.
  rmSync(lost(1));
  expect((await home.lake("publish", "--full")).err).not.toMatch(/warning/);
  expect(await eventsInLake(home.root)).toHaveLength(20);
  await home.load(again);
  await home.lake("publish");
  rmSync(lost(0));
  expect((await home.lake("verify")).out).toMatch(/is missing; run auditlake .*--full/);
  await home.load(recordsOf(0, "late", 1));
  const published = await home.lake("publish");
  expect([published.code, published.err]).toEqual([0, expect.not.stringMatching(/warning/)]);
  expect(await eventsInLake(home.root)).toHaveLength(21);
  // What the home alone had put there of its runs stays.
  expect((await home.lake("verify")).out).toMatch(/^event_rows: 2 parts, 21 rows, as here$/m);
});

it("says what is lost for good of a day that the database has in part, and goes on without it", async () => {
  const { home } = scene;
  const putBack = backedUp();
  await home.load(recordsOf(0, "gone", 4));
  await home.lake("publish");
  putBack();
  await home.lake("publish");
  const [file] = filesOf(home.root, "event_rows", versionsOf(home.root)["event_rows"]!);
  rmSync(join(home.root, "event_rows", file!));
  await home.load(recordsOf(0, "late", 1));
  expect((await home.lake("publish")).err).toMatch(
    /put it back from a copy, or run auditlake .*lake publish --full, which/,
  );
  const { code, err } = await home.lake("publish", "--full");
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^warning: event_rows of 2026-03-01 was lost/m),
  ]);
  expect(await eventsInLake(home.root)).toHaveLength(17);
  expect((await home.lake("verify")).out).toMatch(/^event_rows: 2 parts, 17 rows, as here$/m);
});

it("writes a day of whatever table anew that was lost, with what the database has of it", async () => {
  const { home } = scene;
  const job = (id: string, second: number): object[] =>
    [
      { event_name: "job_issue", job_type: "trino", query_text: "select 1 from a.b" },
      { event_name: "job_modify", attribute_name: "status", new_value: "success" },
    ].map((more, i) => ({
      time: Date.parse("2026-03-01T12:00:00Z") / 1000 + second + i,
      id: `${id}-${i}`,
      resource_id: id,
      user_id: 7,
      ...more,
    }));
  await home.load(job("1", 10));
  const putBack = backedUp();
  await home.load(job("2", 400));
  expect((await home.lake("publish")).code).toBe(0);
  putBack();
  expect((await home.lake("publish")).code).toBe(0);
  for (const [table, version] of Object.entries(versionsOf(home.root)))
    for (const file of filesOf(home.root, table, version)) rmSync(join(home.root, table, file));
  await home.load(job("3", 800));
  const refused = await home.lake("publish");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("lake publish --full")]);
  const { code, err } = await home.lake("publish", "--full");
  expect([code, err]).toEqual([0, expect.stringMatching(/^warning: job_rows of 2026-03-01 was/m)]);
  const verified = await home.lake("verify");
  expect([verified.code, verified.out]).toEqual([0, expect.not.stringContaining("missing")]);
});

it("keeps events of days that had not come when they were published", async () => {
  const { home } = scene;
  const putBack = backedUp();
  await home.load(recordsOf(4000, "future", 2));
  await home.lake("publish");
  expect(await eventsInLake(home.root)).toHaveLength(18);
  putBack();
  expect((await home.lake("publish")).code).toBe(0);
  expect(await eventsInLake(home.root)).toHaveLength(18);
});
