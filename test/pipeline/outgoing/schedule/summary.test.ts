import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSummary } from "../../../../pipeline/outgoing/schedule/runner.ts";
import { temporaryFolder } from "../../../support/load.ts";

const refuse = (id: string): object => ({ id, status: "new", state: "refused", reason: "no" });
const run = { accepted: 2, refused: 1, doubtful: 3, refused_rows: [refuse("a"), refuse("b")] };
const reports = [
  { columns: ["x"], rows: [] },
  {
    columns: ["who", "n"],
    rows: [
      ["ada", 1],
      [null, true],
      ["eve", 3],
    ],
  },
];

it("the result of a job is read once: amounts of all runs, and the first relevant rows", () => {
  const { path: folder, remove } = temporaryFolder();
  const path = join(folder, "summary.json");
  const read = (content: unknown, rows: number): unknown => {
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    const summary = readSummary(path, rows);
    expect(existsSync(path)).toBe(false);
    return summary;
  };
  const other = { accepted: 5, refused: 0, doubtful: 0 };
  expect(read({ runs: [run, other], reports }, 1)).toEqual({
    counts: { accepted: 7, refused: 1, doubtful: 3 },
    table: { columns: ["class", "id", "state", "reason"], rows: [["new", "a", "refused", "no"]] },
  });
  const found = {
    columns: ["who", "n"],
    rows: [
      ["ada", "1"],
      ["", "true"],
    ],
  };
  expect(read({ reports }, 2)).toEqual({ counts: null, table: found });
  expect(read({ runs: [other], reports }, 0)).toMatchObject({ counts: other, table: null });
  expect(read({ runs: [{ ...run, accepted: -1 }] }, 1)).toEqual({});
  expect(read("{", 1)).toEqual({});
  expect(readSummary(path, 1)).toEqual({});
  remove();
});
