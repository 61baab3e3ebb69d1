import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newLedger, openLedger } from "../../../../pipeline/outgoing/targets/ledger.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => void (folder = temporaryFolder()));
afterAll(() => folder.remove());

it("the delivery log retains the status of rows over openings", async () => {
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

it("rows whose send started are uncertain until their outcome or that nothing was sent is recorded", async () => {
  const path = join(folder.path, "sending.ndjson");
  const doubtful = async (): Promise<number[]> => {
    await using ledger = await openLedger(path);
    return Array.from({ length: 12 }, (_, row) => row).filter(ledger.isDoubtful);
  };
  {
    await using ledger = await openLedger(path);
    await ledger.begin([
      [2, 4],
      [9, 9],
    ]);
    await ledger.record([[3, 3]], "accepted");
    await ledger.cancel([[9, 9]]);
  }
  expect(await doubtful()).toEqual([2, 4]);
  {
    await using ledger = await openLedger(path);
    await ledger.begin([[4, 4]]);
    await ledger.begin([[11, 11]]);
    await ledger.cancel([[4, 4]]);
    await ledger.record([[2, 2]], "refused");
  }
  // What an earlier process started stays in doubt, regardless of the result of another try.
  expect(await doubtful()).toEqual([4, 11]);
  await using ledger = await openLedger(path);
  await ledger.recordInterrupted();
  expect([4, 11].map((row) => ledger.getState(row))).toEqual(["uncertain", "uncertain"]);
  expect(ledger.getReason(4)).toBe("an earlier attempt started sending and got no answer");
});

it.each<[connector: string, facts: Record<string, string>, rows: number[]]>([
  ["email", { begun: "2-4" }, [2, 4]],
  ["email, whose message ended", { begun: "no" }, []],
  ["webhook", { batch_rows: "2", begun_1: "no", begun_2: "yes" }, [4]],
  ["marketing cloud", { in_flight: "[[2,2],[5,6]]" }, [2, 5, 6]],
])("a row that an earlier version was sending is read: %s", (_, facts, rows) => {
  const entries = Object.entries(facts).map(([fact, value]) => ({ fact, value }));
  const ledger = newLedger([...entries, { rows: [[3, 3]], state: "accepted" }]);
  expect([1, 2, 3, 4, 5, 6].filter(ledger.isDoubtful)).toEqual(rows);
});

it("a row far after others is retained", async () => {
  const path = join(folder.path, "far.ndjson");
  await using ledger = await openLedger(path);
  for (const row of [1, 100_000, 7]) await ledger.record([[row, row]], "accepted");
  expect([1, 7, 100_000].map((row) => ledger.getState(row))).toEqual(Array(3).fill("accepted"));
  expect(ledger.getState(8)).not.toBe("accepted");
});

it.each([1, 2, 3])(
  "a damaged line is reported with its number, and nothing is opened: line %i",
  async (line) => {
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
  },
);
