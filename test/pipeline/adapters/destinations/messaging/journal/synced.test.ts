import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { openJournal } from "../../../../../../pipeline/adapters/destinations/messaging/journal.ts";
import { temporaryFolder } from "../../../../../support/load.ts";

// Syncs are counted where every file has them, since a test cannot cut the power.

let folder: ReturnType<typeof temporaryFolder>;
let syncs: MockInstance<FileHandle["datasync"]>;
beforeEach(async () => {
  folder = temporaryFolder();
  await using file = await open(join(folder.path, "any"), "w");
  syncs = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, "datasync");
});
afterEach(() => {
  syncs.mockRestore();
  folder.remove();
});

it("that a message is about to be sent is on the disk before, and what came of it needs no sync", async () => {
  await using journal = await openJournal(folder.path, "d1", () => 0);
  const message = { phone: "+16315555555", header: undefined, body: [] };
  const synced: number[] = [];
  for (const state of ["sending", "accepted", "sending", "unsent"] as const) {
    const before = syncs.mock.calls.length;
    await journal.record(message, state);
    synced.push(syncs.mock.calls.length - before);
  }
  expect(synced).toEqual([1, 0, 1, 0]);
});
