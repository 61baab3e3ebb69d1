import { expect, it } from "vitest";
import {
  describeTable,
  listColumnRows,
  listContractRows,
  reportRows,
  reportText,
  findTable,
} from "../../../../pipeline/answers/report/listing.ts";
import { newFactsTable } from "../../../../pipeline/answers/report/result.ts";
import type { Report } from "../../../../pipeline/base/report/find.ts";
import { readRows } from "./support.ts";

const report: Report = {
  name: "mine",
  family: "own",
  title: "Mine",
  grain: "one row per n",
  params: [
    { name: "who", type: "text", defaultText: undefined },
    { name: "since", type: "timestamp", defaultText: "7d" },
    { name: "more", type: "integer", defaultText: null },
  ],
  chart: { kind: "bars", x: "who", y: "n" },
  lines: 4,
  sql: "-- title: Mine\r\n-- grain: one row per n\r\n-- Why it is asked.\r\n-- note\twith a tab\r\nselect\t'\u202E' as n\r\n\r\n",
  file: "queries/mine.sql",
  isBuiltIn: false,
};

it("a report is shown in full, its notes before its statement, and without terminal sequences", () => {
  expect(reportText(report)).toBe(
    [
      "mine",
      "Mine",
      "",
      "family  own",
      "grain   one row per n",
      "chart   bars x=who y=n",
      "file    queries/mine.sql",
      "",
      "parameters",
      "  who             text      required",
      "  since           timestamp default 7d",
      "  more            integer   optional",
      "",
      "Why it is asked.",
      "note\twith a tab",
      "",
      String.raw`select	'\u202e' as n`,
      "",
    ].join("\n"),
  );
  const bare = { ...report, params: [], chart: undefined, lines: 0, sql: "select 1\n" };
  expect(reportText(bare)).toBe(
    "mine\nMine\n\nfamily  own\ngrain   one row per n\nfile    queries/mine.sql\n\nno parameters\n\nselect 1\n",
  );
});

it("the listing shows what a report needs, and for machines all its parameters", async () => {
  const others = { ...report, name: "other", params: report.params.slice(1) };
  expect(await readRows(reportRows([report, others], false))).toEqual([
    ["mine", "Mine", "own", "--param who=…"],
    ["other", "Mine", "own", null],
  ]);
  const [row] = await readRows(reportRows([report], true));
  expect(row).toEqual([
    "mine",
    "own",
    "Mine",
    "one row per n",
    "who text required, since timestamp = 7d, more integer = null",
    "queries/mine.sql",
  ]);
});

it("the tables of the contract are found by name, in any case, with each column once", async () => {
  const table = findTable("DENIALS");
  expect(describeTable(table)).toMatch(/^one row per denied or failed event/);
  expect(describeTable({ ...table, about: null })).toBe(`one row per ${table.row}.`);
  expect(() => findTable("denial")).toThrow(
    /^no table "denial"; similar: denials(?:, \w+)*; auditlake tables lists all$/,
  );
  const own = (await readRows(listContractRows())).filter(([name]) => name === "denials");
  expect(own.map((row) => row.slice(4))).toEqual(await readRows(listColumnRows(table)));
});

it("facts are printed as a table: numbers right-aligned, times complete, and missing values empty", async () => {
  const facts = [
    { name: "a", n: 1, at: "2026-01-02T03:04:05Z", day: "2026-01-02", none: null },
    { name: "b", n: null, at: null, day: "2026-01-03", none: null },
    { name: "c", n: "x" },
  ];
  const { columns, ...rows } = newFactsTable(facts);
  expect(columns.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "name text",
    "n number",
    "at time",
    "day text",
    "none text",
  ]);
  expect((await readRows({ columns, ...rows }))[2]).toEqual(["c", "x", null, null, null]);
  expect(newFactsTable([]).columns).toEqual([]);
});
