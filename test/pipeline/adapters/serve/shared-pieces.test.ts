import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { newSharedPieces } from "../../../../pipeline/adapters/serve/pieces.ts";
import { temporaryFolder } from "../../../support/load.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const path = join(folder.path, "audit.duckdb");

/** A page whose makings are counted; `fails` says whether the next one breaks off after its first piece. */
function newCounted() {
  const state = { made: 0, fails: false };
  const make = async function* (): AsyncGenerator<string> {
    state.made += 1;
    yield `first of ${state.made}`;
    await Promise.resolve();
    if (state.fails) throw new AuditlakeError("broken off");
    yield "second";
  };
  return { state, make };
}

async function read(pieces: AsyncGenerator<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

test("all readers of a page share one rendering while the same file is published", async () => {
  writeFileSync(path, "one");
  let nowMs = 0;
  const share = newSharedPieces(path, () => nowMs);
  const { state, make } = newCounted();
  const both = await Promise.all([read(share("a", 1000, make)), read(share("a", 1000, make))]);
  expect(both).toEqual([
    ["first of 1", "second"],
    ["first of 1", "second"],
  ]);
  await read(share("b", 1000, make));
  expect(state.made).toBe(2);
  nowMs = 999;
  expect(await read(share("a", 1000, make))).toEqual(["first of 1", "second"]);
  nowMs = 1000;
  expect(await read(share("a", 1000, make))).toEqual(["first of 3", "second"]);
  writeFileSync(path, "another publication");
  expect(await read(share("a", 1000, make))).toEqual(["first of 4", "second"]);
});

test("a reader who leaves does not stop the rendering for others", async () => {
  writeFileSync(path, "three");
  const share = newSharedPieces(path, () => 0);
  const { state, make } = newCounted();
  for await (const piece of share("a", 1000, make)) {
    expect(piece).toBe("first of 1");
    break;
  }
  expect(await read(share("a", 1000, make))).toEqual(["first of 1", "second"]);
  expect(state.made).toBe(1);
});

test("a rendering that failed is repeated", async () => {
  writeFileSync(path, "four");
  const share = newSharedPieces(path, () => 0);
  const { state, make } = newCounted();
  state.fails = true;
  await expect(read(share("a", 1000, make))).rejects.toThrow("broken off");
  state.fails = false;
  expect(await read(share("a", 1000, make))).toEqual(["first of 2", "second"]);
});
