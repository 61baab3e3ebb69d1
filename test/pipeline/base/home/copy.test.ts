import { randomBytes } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  canShareBlocks,
  copyCompared,
  findFirstDifference,
} from "../../../../pipeline/base/home/copy.ts";

let folder: string;
let from: string;
let to: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  [from, to] = [join(folder, "from"), join(folder, "to")];
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const mebibyte = 1024 * 1024;

it.each([0, 1, 8 * mebibyte - 1, 8 * mebibyte, 17 * mebibyte + 5])(
  "copies %d bytes unchanged",
  async (size) => {
    writeFileSync(from, randomBytes(size));
    await copyCompared(from, to);
    expect(readFileSync(to).equals(readFileSync(from))).toBe(true);
    expect(await findFirstDifference(from, to)).toBeUndefined();
  },
);

it("finds the first byte that differs, in any chunk", async () => {
  const bytes = randomBytes(9 * mebibyte);
  writeFileSync(from, bytes);
  for (const at of [0, 8 * mebibyte, bytes.length - 1]) {
    const other = Buffer.from(bytes);
    other[at]! ^= 1;
    writeFileSync(to, other);
    expect(await findFirstDifference(from, to)).toBe(at);
  }
});

it("leaves an existing file unchanged", async () => {
  writeFileSync(from, "new");
  writeFileSync(to, "old");
  await expect(copyCompared(from, to)).rejects.toThrow(/EEXIST/);
  expect(readFileSync(to, "utf8")).toBe("old");
});

it("refuses a copy that reads back differently", async () => {
  writeFileSync(from, randomBytes(100));
  const handle = await open(from, "r");
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  if (await canShareBlocks(folder)) return;
  // A disk that turns a bit over.
  const turning = function (this: typeof handle, bytes: Buffer): Promise<object> {
    const turned = Buffer.from(bytes.subarray(0, 100));
    turned[50]! ^= 1;
    return Promise.resolve({ bytesWritten: writeSync(this.fd, turned) });
  };
  vi.spyOn(prototype, "write").mockImplementation(turning as never);
  await expect(copyCompared(from, to)).rejects.toThrow(/byte 0 differs from what was written/);
});

it("leaves nothing behind after testing the file system", async () => {
  expect(typeof (await canShareBlocks(folder))).toBe("boolean");
  expect(readdirSync(folder)).toEqual([]);
  expect(statSync(folder).isDirectory()).toBe(true);
});
