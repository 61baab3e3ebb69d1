import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readAll, checkPiece, watchBytes } from "../../../../pipeline/core/import/bytes.ts";
import { openBytes } from "../../../../pipeline/core/import/open.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "records");
});
afterEach(() => folder.remove());

const text = (length: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => 97 + ((from + i) % 26)));
const none = Buffer.alloc(0);

async function readRest(file: Parameters<typeof readAll>[0]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readAll(file)) parts.push(part);
  return Buffer.concat(parts);
}

it("a small file uses little memory, whatever is requested", async () => {
  writeFileSync(path, text(100));
  await using file = await openBytes(
    path,
    watchBytes(() => undefined),
  );
  const bytes = await file.extend(none, 8 * 1024 * 1024);
  expect(bytes).toEqual(text(100));
  expect(bytes.buffer.byteLength).toBeLessThan(100_000);
});

it("content that is appended to a file during reading is read, too", async () => {
  const [before, later] = [text(100_000), text(300_000, 100_000)];
  writeFileSync(path, before);
  await using file = await openBytes(
    path,
    watchBytes(() => undefined),
  );
  const first = await file.extend(none, 8 * 1024 * 1024);
  expect(first).toEqual(before);
  appendFileSync(path, later);
  expect(await readRest(file)).toEqual(later);
});

it("a file is read in pieces of the requested length, regardless of earlier peeks", async () => {
  const whole = text(3_000_000);
  writeFileSync(path, whole);
  await using file = await openBytes(
    path,
    watchBytes(() => undefined),
  );
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = await file.extend(none, 2_500_000);
    if (piece.length === 0) break;
    pieces.push(piece);
  }
  expect(pieces.map(({ length }) => length)).toEqual([2_500_000, 500_000]);
  expect(Buffer.concat(pieces)).toEqual(whole);
});

it("property: a file that is read and put back in any way returns its bytes once and in order", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("read" as const) }),
    fc.record({
      kind: fc.constant("unread" as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      kind: fc.constant("extend" as const),
      count: fc.integer({ min: 1, max: 3_000_000 }),
    }),
  );
  const most = text(4_000_000);
  const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 4_000_000 }));
  await fc.assert(
    fc.asyncProperty(size, fc.array(step, { maxLength: 12 }), async (length, steps) => {
      const whole = most.subarray(0, length);
      writeFileSync(path, whole);
      await using file = await openBytes(
        path,
        watchBytes(() => undefined),
      );
      let got = none;
      for (const one of steps)
        if (one.kind === "read") got = Buffer.concat([got, (await file.read()) ?? none]);
        else if (one.kind === "extend") {
          const at = Math.max(0, got.length - 10);
          got = Buffer.concat([
            got.subarray(0, at),
            await file.extend(got.subarray(at), one.count),
          ]);
        } else if (got.length > 0) {
          const at = Math.floor(got.length * (1 - one.share));
          file.unread(got.subarray(at));
          got = got.subarray(0, at);
        }
      expect(Buffer.concat([got, await readRest(file)]).equals(whole)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

it("a pipe without a size is read to its end", async () => {
  execFileSync("mkfifo", [path]);
  const whole = text(700_000);
  const source = join(folder.path, "source");
  writeFileSync(source, whole);
  spawn("cp", [source, path]);
  let last = 0;
  await using file = await openBytes(
    path,
    watchBytes((bytes) => (last = bytes)),
  );
  expect(await readRest(file)).toEqual(whole);
  expect(last).toBe(whole.length);
});

it("a record of 256 MB is accepted, and no longer one", () => {
  const most = 256 * 1024 * 1024;
  expect(() => checkPiece(most)).not.toThrow();
  expect(() => checkPiece(most + 1)).toThrow(
    "a record, or the text around the records, is longer than 256 MB; split the file, or write one record per line",
  );
});
