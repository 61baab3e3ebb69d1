import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newSharedReads } from "../../../../pipeline/adapters/serve/shared-reads.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeAll(() => {
  folder = temporaryFolder();
  path = join(folder.path, "audit.duckdb");
  publish("1");
});
afterAll(() => folder.remove());

function publish(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test("readers of one key share an answer for a minute or until the next publication", async () => {
  let [nowMs, reads] = [0, 0];
  const share = newSharedReads(path, () => nowMs);
  const read = (key: string): Promise<number> => share(key, () => Promise.resolve((reads += 1)));
  expect(await Promise.all([read("a"), read("a"), read("b")])).toEqual([1, 1, 2]);
  nowMs = 59_999;
  expect(await read("a")).toBe(1);
  nowMs = 60_000;
  expect(await read("a")).toBe(3);
  publish("22");
  expect([await read("a"), await read("a")]).toEqual([4, 4]);
});

test("a read that failed is repeated", async () => {
  const share = newSharedReads(path, () => 0);
  await expect(share("a", () => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
  expect(await share("a", () => Promise.resolve(1))).toBe(1);
});
