import { expect, test } from "vitest";
import {
  commandNames,
  runCommand,
  type Desk,
} from "../../../../pipeline/adapters/prompt/commands.ts";
import type { Report } from "../../../../pipeline/base/report/find.ts";
import type { RowFormat } from "../../../../pipeline/answers/report/formats.ts";
import { readRows } from "../../answers/report/support.ts";

const report: Report = {
  name: "since_then",
  family: "own",
  title: "Since then",
  grain: "one row",
  params: [{ name: "since", type: "timestamp", defaultText: "7d" }],
  chart: undefined,
  lines: 0,
  sql: "select $since as since;\n",
  file: "since_then.sql",
  isBuiltIn: false,
};

function newDesk() {
  const [printed, shown]: [string[], unknown[]] = [[], []];
  let mode: RowFormat = "csv";
  const desk: Desk = {
    reports: () => [report],
    show: async (rows) =>
      void shown.push(
        rows.columns.map(({ name }) => name),
        ...(await readRows(rows)),
      ),
    print: (line) => void printed.push(line),
    mode: () => mode,
    setMode: (format) => void (mode = format),
    nowMs: () => Date.UTC(2026, 0, 8),
  };
  return { desk, printed, shown };
}

test("help has a line for each command, and says how a statement ends", async () => {
  const { desk, printed } = newDesk();
  expect(await runCommand(".help", desk)).toBeUndefined();
  const names = printed.slice(0, -1).map((line) => /^(\.[a-z]+) +\S/.exec(line)?.[1]);
  expect(names).toEqual(commandNames);
  expect(new Set(printed.slice(0, -1).map((line) => line.search(/(?<= )[^ ]/)))).toEqual(
    new Set([10]),
  );
  expect(printed.at(-1)).toMatch(/^A statement ends with ; /);
});

test("the reports, the tables and the columns of a table are shown as rows", async () => {
  const { desk, printed, shown } = newDesk();
  expect(await runCommand(".reports;", desk)).toBeUndefined();
  expect(shown).toEqual([
    ["name", "title", "family", "needs"],
    ["since_then", "Since then", "own", null],
  ]);
  await runCommand(".tables", desk);
  expect(shown[2]).toEqual(["name", "group", "one_row_per"]);
  await runCommand(".schema  DENIALS ", desk);
  expect(printed).toEqual([expect.stringMatching(/^denials: one row per denied or failed event/)]);
  expect(shown).toContainEqual(["column", "type", "meaning"]);
});

test("the form is shown, and changed to an existing one", async () => {
  const { desk, printed } = newDesk();
  expect(await runCommand(".mode", desk)).toBeUndefined();
  expect(printed).toEqual([expect.stringMatching(/^csv; others: table, .*\bjson\b/)]);
  await runCommand(".mode json", desk);
  expect([desk.mode(), printed.length]).toEqual(["json", 1]);
});

test("a report is opened without the semicolon of its statement, which is printed", async () => {
  const { desk, printed } = newDesk();
  const text = await runCommand(".open since_then;", desk);
  expect(text).toMatch(/^select .*2026-01-01.* as since$/);
  expect(printed).toEqual([text]);
  expect(await runCommand(".quit", desk)).toBeUndefined();
});

test.each([
  [".schema", /^\.schema expects the name of a table; \.tables lists them$/],
  [".open", /^\.open expects the name of a report; \.reports lists them$/],
  [".mode xls", /^no format "xls"; expected table, /],
  [".mode a  b", /^no format "a b"; expected table, /],
  [".toString", /^no command "\.toString"; \.help lists them$/],
  ["", /^no command ""; /],
])("%j is refused, and nothing is shown", async (line, expected) => {
  const { desk, printed, shown } = newDesk();
  await expect(runCommand(line, desk)).rejects.toThrow(expected);
  expect([printed, shown, desk.mode()]).toEqual([[], [], "csv"]);
});
