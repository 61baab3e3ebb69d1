import { expect, it } from "vitest";
import { planText, formatPublished } from "../../../../pipeline/cli/lake/outcome.ts";
import type { PublishedTable } from "../../../../pipeline/adapters/lake/publisher.ts";

const [first, second, third] = ["2026-03-01", "2026-03-02", "2026-03-05"] as const;

const buildPublished = (table: string, change: Partial<PublishedTable> = {}): PublishedTable => ({
  table,
  version: 1,
  files: [],
  written: [],
  gone: [],
  ...change,
});
const file = { table: "", path: "", rows: 1200, bytes: 1_000_000, sha256: "" };

const same = buildPublished("user_rows");
const written = buildPublished("event_rows", { written: [first, second], files: [file, file] });
const gone = buildPublished("job_rows", { gone: [third] });
const replaced = buildPublished("query_table_rows", { written: [second], gone: [first, third] });
const emptied = buildPublished("user_rows", { gone: [""] });
const whole = buildPublished("policy_rows", { written: [""], files: [file] });

it.each([
  [
    "files of several tables",
    [same, written, whole],
    "2 tables changed, 3 files with 3,600 rows written (3.00 MB)",
  ],
  ["days that go", [same, gone], "1 table changed, 0 files with 0 rows written (0 bytes)"],
  ["a day for another", [replaced], "1 table changed, 0 files with 0 rows written (0 bytes)"],
  ["no rows", [same], "0 tables changed, 0 files with 0 rows written (0 bytes)"],
])("a publish reports its changes: %s", (_, tables, text) => {
  const outcome = { tables, publication: 3 };
  expect(formatPublished({ ...outcome, isChanged: true })).toBe(`lake: publication 3, ${text}`);
  expect(formatPublished({ ...outcome, isChanged: false })).toBe(
    "lake: nothing changed, publication 3",
  );
});

it("a dry run of a publish names what would be written and deleted, of each changed table", () => {
  const getPlan = (...tables: PublishedTable[]): string =>
    planText({ tables, publication: undefined, isChanged: true });
  expect(getPlan(same)).toBe("nothing to publish to the lake\n");
  expect(getPlan(same, written, gone, replaced, whole, emptied)).toBe(
    [
      "event_rows: 2 days, 2026-03-01 to 2026-03-02",
      "job_rows: removed 1 day, 2026-03-05",
      "query_table_rows: 1 day, 2026-03-02, removed 2 days, 2026-03-01 to 2026-03-05",
      "policy_rows: the complete table",
      "user_rows: removed the complete table",
      "",
    ].join("\n"),
  );
});
