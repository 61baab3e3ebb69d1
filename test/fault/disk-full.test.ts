import { expect, test } from "vitest";
import { diskFull } from "./disk-full.ts";
import { canMount } from "./disk/limited-space.ts";

test("commands on a full disk", { timeout: 300_000 }, async () => {
  const { done, failures, note } = await diskFull.run(diskFull.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(diskFull.short);
  expect(note).toMatch(/out of space/);
});

test("the disk-full simulation uses a small file system where mounting is allowed", (context) => {
  if (!canMount())
    context.skip("a file system cannot be mounted here: the limit on file sizes replaces it");
  expect(canMount()).toBe(true);
});
