import { expect, it } from "vitest";
import { refuseTextOptions, parseSeparator } from "../../../../pipeline/answers/report/formats.ts";
import {
  isStatement,
  newStatementReport,
  newTableReport,
} from "../../../../pipeline/answers/report/statement.ts";
import { newHome } from "../../../support/home.ts";

it("a file with one statement is read as a report, with a header or without", () => {
  using home = newHome();
  const bare = newStatementReport(home.write("my-rows.SQL", "select 1 as n"));
  expect(bare).toMatchObject({
    name: "my-rows",
    title: "my-rows",
    family: "statement",
    params: [],
  });
  const header =
    "-- title: Mine\n-- family: other\n-- grain: one row per n\n-- param: n integer = 1\n";
  const own = newStatementReport(home.write("own.sql", `${header}select $n as n`));
  expect(own).toMatchObject({
    name: "own",
    title: "Mine",
    family: "statement",
    grain: "one row per n",
    isBuiltIn: false,
  });
  expect([own.params.length, own.lines, isStatement(own), isStatement({ family: "own" })]).toEqual([
    1,
    4,
    true,
    false,
  ]);
  for (const name of ["a b.sql", `${"x".repeat(101)}.sql`, "-a.sql"]) {
    const path = home.write(name, "select 1");
    expect(() => newStatementReport(path)).toThrow(
      /cannot be the name of a delivery; expected a file name of letters/,
    );
  }
});

it.each([
  ["denials", "denials", 'select * from "denials" order by all'],
  ["main.Denials_2", "Denials_2", 'select * from "main"."Denials_2" order by all'],
])("all rows of the table %s are selected in a total order", (table, name, sql) => {
  expect(newTableReport(table)).toMatchObject({ name, title: table, sql, file: `table ${table}` });
});

it.each(["", "a.b.c", "1a", "a b", 'a"b', "a;b"])("%j is not a table name", (table) => {
  expect(() => newTableReport(table)).toThrow(
    `${JSON.stringify(table)} is not a table name; expected`,
  );
});

it.each([";", "|", "\t", "é", "😀"])("cells are separated by %j", (separator) => {
  expect(parseSeparator(separator === "\t" ? String.raw`\t` : separator)).toBe(separator);
  refuseTextOptions({ separator, header: false }, "csv");
});

it.each(["", ";;", '"', "'", "\r", "\n", "\0"])("cells are not separated by %j", (separator) => {
  expect(() => parseSeparator(separator)).toThrow(
    /^--separator .*: expected one character, such as ; or \|/,
  );
});

it.each([
  ["tsv", { header: false }, undefined],
  ["table", { header: false }, undefined],
  ["json", { header: true }, undefined],
  ["json", { header: false }, "--no-header is for table, csv, tsv; the format here is json"],
  ["tsv", { separator: ";" }, "--separator is for csv; the format here is tsv; add --format csv"],
  ["tsv", { separator: ";;" }, '--separator ";;": expected one character'],
] as const)("a fault of %s with %j is reported: %s", (format, options, said) => {
  const refuse = (): void => refuseTextOptions(options, format);
  if (said === undefined) refuse();
  else expect(refuse).toThrow(said);
});
