import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withFormula, withoutFormula } from "../../../../pipeline/base/rows/delimited.ts";
import { render, buildResult, textColumns } from "../../answers/report/support.ts";
import { hostileText, isGuarded, liveCells } from "./spreadsheet.ts";

test("CSV as RFC 4180 has it: CRLF, doubled quotes, null empty, empty text quoted", async () => {
  const columns = [
    ...textColumns("actor", "note"),
    { name: "n", type: "BIGINT", kind: "number" as const },
    { name: "share", type: "DECIMAL(4,2)", kind: "number" as const },
    { name: "at", type: "TIMESTAMP", kind: "time" as const },
    { name: "ok", type: "BOOLEAN", kind: "boolean" as const },
  ];
  const result = buildResult(
    columns,
    [["a@example.com", 'say "hi",\r\nthen go', -5n, "-0.50", "2026-01-31T10:20:30Z", true]],
    [[null, "", 2n ** 80n, null, null, false]],
  );
  expect(await render("csv", result)).toBe(
    [
      "actor,note,n,share,at,ok",
      '"a@example.com","say ""hi"",\r\nthen go",-5,-0.50,2026-01-31T10:20:30Z,true',
      ',"",1208925819614629174706176,,,false',
      "",
    ].join("\r\n"),
  );
});

test("an empty result still has its header", async () => {
  expect(await render("csv", buildResult(textColumns("a", "b")))).toBe("a,b\r\n");
  expect(await render("tsv", buildResult(textColumns("a", "b")))).toBe("a\tb\n");
});

test("TSV quotes tabs and line breaks", async () => {
  const result = buildResult(textColumns("a", "b"), [["x\ty", "p\nq"]]);
  expect(await render("tsv", result)).toBe('a\tb\n"x\ty"\t"p\nq"\n');
});

test.each([
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "|calc",
  "%x",
  "＝1",
  "＋1",
  "－1",
  "＠x",
  "	=1",
  "\r=1",
  "\n=1",
  "\0=1",
  " =1",
  "\xA0=1",
  "​=1",
  "﻿=1",
  "　+1",
  "‮=1",
  " ⁠­ @x",
  "-1",
  "\u2028=1",
  "\x07bell",
])("%j gets an apostrophe, unless raw", async (text) => {
  const show = async (raw: boolean) =>
    (parse(await render("csv", buildResult(textColumns("a"), [[text]]), { raw })) as string[][])[1];
  const [safe] = (await show(false)) ?? [];
  expect(safe).toMatch(/^'/);
  expect(isGuarded(safe!, text)).toBe(true);
  expect(await show(true)).toEqual([text]);
});

test.each([
  ["x;=6*7;y", "x;'=6*7;y"],
  ["a, -1", "a,' -1"],
  ["a\t@SUM(A1)", "a\t'@SUM(A1)"],
  ["a|=1", "a|'=1"],
  ["a || b", "a || b"],
  ["a\r\n=1\n-- b", "a\r\n'=1\n'-- b"],
  ['x;"=1";y', 'x;\'"=1";y'],
  ["a,\u200b＝1", "a,'\u200b＝1"],
  ["a\n\tb", "a\n\tb"],
])("%j becomes %j", (text, safe) => expect(withoutFormula(text)).toBe(safe));

test.each(["plain", "a=1", "1-1", "'=1", "é", " x", "a@b.c", "5", "", "#x", "(=1"])(
  "%j is unchanged",
  (text) => expect(withoutFormula(text)).toBe(text),
);

test("names of columns are escaped as well", async () => {
  const result = buildResult([{ name: "=cmd()", type: "INTEGER", kind: "number" }], [[-1]]);
  expect(await render("csv", result)).toBe('"\'=cmd()"\r\n-1\r\n');
});

const forms = [
  ["csv", undefined],
  ["csv", ";"],
  ["csv", "|"],
  ["csv", "\t"],
  ["csv", ":"],
  ["tsv", undefined],
] as const;

test.each(forms)(
  "%s with separator %j: no cell begins a formula wherever it is split, and the rest is unchanged (seed 7)",
  async (format, separator) => {
    const own = separator ?? (format === "csv" ? "," : "\t");
    const rows = fc.array(fc.tuple(hostileText, hostileText), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const text = await render(format, buildResult(textColumns("a", "b"), given), { separator });
        expect(liveCells(text, own)).toEqual([]);
        const parsed = parse(text, {
          delimiter: own,
          record_delimiter: format === "csv" ? "\r\n" : "\n",
          from: 2,
        }) as string[][];
        for (const [row, cells] of parsed.entries())
          for (const [column, cell] of cells.entries())
            expect([cell, isGuarded(cell, given[row]![column]!, own)]).toEqual([cell, true]);
        expect(parsed).toHaveLength(given.length);
      }),
      { seed: 7, numRuns: 500 },
    );
  },
  60_000,
);

test("the apostrophes can be removed: the text is equal before and after (seed 8)", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(withFormula(withoutFormula(text))).toBe(withFormula(text));
    }),
    { seed: 8, numRuns: 5000 },
  );
});
