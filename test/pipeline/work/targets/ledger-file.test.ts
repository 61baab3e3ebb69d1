import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLedger } from "../../../../pipeline/work/targets/ledger-file.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => void (folder = temporaryFolder()));
afterAll(() => folder.remove());

it("remembers over openings what became of rows", async () => {
  const path = join(folder.path, "kept.ndjson");
  {
    await using ledger = await openLedger(path);
    await ledger.record([[1, 3]], "accepted");
    await ledger.record([[4, 4]], "refused", "too long");
  }
  await using again = await openLedger(path);
  expect([again.count("accepted"), again.count("refused"), again.count("uncertain")]).toEqual([
    3, 1, 0,
  ]);
});

it("remembers a row far behind those before it", async () => {
  const path = join(folder.path, "far.ndjson");
  await using ledger = await openLedger(path);
  for (const row of [1, 100_000, 7]) await ledger.record([[row, row]], "accepted");
  expect([1, 7, 100_000].map((row) => ledger.stateOf(row))).toEqual(Array(3).fill("accepted"));
  expect(ledger.stateOf(8)).not.toBe("accepted");
});

it.each([1, 2, 3])("says which line is damaged, and opens nothing: line %i", async (line) => {
  const path = join(folder.path, `damaged-${line}.ndjson`);
  {
    await using ledger = await openLedger(path);
    for (const row of [1, 2]) await ledger.record([[row, row]], "accepted");
  }
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  lines.splice(line - 1, 0, '{"CANARY":');
  writeFileSync(path, `${lines.join("\n")}\n`);
  const opened = openLedger(path);
  await expect(opened).rejects.toThrow(
    new RegExp(`damaged-${line}.ndjson, line ${line} is damaged`),
  );
  await expect(openLedger(path)).rejects.not.toThrow("CANARY");
});
