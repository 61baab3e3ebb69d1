import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  landDocument,
  listDocuments,
  readDocument,
} from "../../../../pipeline/core/landing/documents.ts";
import { landMark, type LandedMark, listMarks } from "../../../../pipeline/core/landing/marks.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ path: folder, remove } = temporaryFolder());
});
afterEach(() => remove());

it("documents are listed by their names, compressed ones and older ones, and nothing else", async () => {
  expect(listDocuments(join(folder, "nowhere"))).toEqual([]);
  await landDocument(folder, "b", '{"of":"today"}');
  writeFileSync(join(folder, "a.json"), '{"of":"before"}');
  for (const other of [".0123456789ab.tmp", "c.txt", "d.zst"])
    writeFileSync(join(folder, other), "");
  const found = listDocuments(folder);
  expect(found).toEqual([
    { name: "a", path: join(folder, "a.json") },
    { name: "b", path: join(folder, "b.json.zst") },
  ]);
  expect(found.map(readDocument)).toEqual([{ of: "before" }, { of: "today" }]);
  writeFileSync(join(folder, "a.json"), "{");
  expect(() => readDocument(found[0]!)).toThrow();
});

it("marks are listed oldest first, and an unreadable one is reported", async () => {
  const mark = (id: string, day: number): LandedMark => ({
    version: 1,
    mark_id: id,
    run_id: "r",
    source: "a",
    start: "2026-01-01 00:00:00.000",
    end: "2026-01-02 00:00:00.000",
    state: "gap",
    marked_at: `2026-03-0${day} 00:00:00.000`,
    note: "it left the range",
  });
  expect(listMarks(folder)).toEqual([]);
  const marks = [mark("b", 1), mark("c", 1), mark("a", 2)];
  for (const one of marks.toReversed()) await landMark(folder, one);
  expect(listMarks(folder)).toEqual(marks);
  expect(readdirSync(join(folder, "marks")).toSorted()).toEqual(["a.json", "b.json", "c.json"]);
  writeFileSync(join(folder, "marks", "b.json"), JSON.stringify({ ...marks[0], more: 1 }));
  expect(() => listMarks(folder)).toThrow(
    /b\.json, the record of an accepted or given-up range, cannot be read; restore it/,
  );
});
