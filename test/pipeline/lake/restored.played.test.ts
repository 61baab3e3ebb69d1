import { chmodSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import { oneNight } from "./one-night.ts";
import { filesOf } from "./reader.ts";
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
