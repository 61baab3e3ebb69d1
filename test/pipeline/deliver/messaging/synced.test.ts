import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openJournal } from "../../../../pipeline/deliver/messaging/journal.ts";
import { temporaryFolder } from "../../../support/load.ts";

// Syncs are counted where every file has them, since a test cannot cut the power.

let folder: ReturnType<typeof temporaryFolder>;
let prototype: FileHandle;
let own: FileHandle["datasync"];
let syncs = 0;
beforeEach(async () => {
  folder = temporaryFolder();
  await using file = await open(join(folder.path, "any"), "w");
  prototype = Object.getPrototypeOf(file) as FileHandle;
  own = prototype.datasync;
  prototype.datasync = async function (this: FileHandle) {
    await own.call(this);
    syncs += 1;
  };
});
afterEach(() => {
  prototype.datasync = own;
  folder.remove();
});

it("that a message is about to be sent is on the disk before, and what came of it needs no sync", async () => {
  await using journal = await openJournal(folder.path, "d1", () => 0);
  const message = { phone: { text: "+15550001" }, header: undefined, body: [] } as never;
  const synced: number[] = [];
  for (const state of ["sending", "accepted", "sending", "unsent"] as const) {
    const before = syncs;
    await journal.record(message, state);
    synced.push(syncs - before);
  }
  expect(synced).toEqual([1, 0, 1, 0]);
});
