import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutFormula } from "../../../pipeline/rows/formula.ts";
import { rendered, resultOf, textColumns } from "../report/support.ts";

test("CSV as RFC 4180 has it: CRLF, doubled quotes, null empty, empty text quoted", async () => {
  const columns = [
    ...textColumns("actor", "note"),
    { name: "n", type: "BIGINT", kind: "number" as const },
    { name: "share", type: "DECIMAL(4,2)", kind: "number" as const },
    { name: "at", type: "TIMESTAMP", kind: "time" as const },
    { name: "ok", type: "BOOLEAN", kind: "boolean" as const },
  ];
  const result = resultOf(
    columns,
    [["a@example.com", 'say "hi",\r\nthen go', -5n, "-0.50", "2026-01-31T10:20:30Z", true]],
    [[null, "", 2n ** 80n, null, null, false]],
  );
  expect(await rendered("csv", result)).toBe(
    [
      "actor,note,n,share,at,ok",
      '"a@example.com","say ""hi"",\r\nthen go",-5,-0.50,2026-01-31T10:20:30Z,true',
      ',"",1208925819614629174706176,,,false',
      "",
    ].join("\r\n"),
  );
});

test("an empty result still has its header", async () => {
  expect(await rendered("csv", resultOf(textColumns("a", "b")))).toBe("a,b\r\n");
  expect(await rendered("tsv", resultOf(textColumns("a", "b")))).toBe("a\tb\n");
});

test("TSV quotes tabs and line breaks", async () => {
  const result = resultOf(textColumns("a", "b"), [["x\ty", "p\nq"]]);
  expect(await rendered("tsv", result)).toBe('a\tb\n"x\ty"\t"p\nq"\n');
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
  const shown = async (raw: boolean) =>
    (parse(await rendered("csv", resultOf(textColumns("a"), [[text]]), { raw })) as string[][])[1];
  expect(await shown(false)).toEqual([`'${text}`]);
  expect(await shown(true)).toEqual([text]);
});

test.each(["plain", "a=1", "1-1", "'=1", "é", " x", "a@b.c", "5", "", "#x", "(=1"])(
  "%j stays",
  (text) => expect(withoutFormula(text)).toBe(text),
);

test("names of columns are text as well", async () => {
  const result = resultOf([{ name: "=cmd()", type: "INTEGER", kind: "number" }], [[-1]]);
  expect(await rendered("csv", result)).toBe('"\'=cmd()"\r\n-1\r\n');
});

// What a spreadsheet may run, said in another way than the code says it.
function triggers(text: string): boolean {
  const characters = [...text];
  const first = characters[0];
  if (first === undefined) return false;
  if (/\p{Cc}/u.test(first)) return true;
  const visible = characters.find(
    (each) => !/[\p{Z}\p{C}]/u.test(each) || /\p{Cn}|\p{Co}/u.test(each),
  );
  return visible !== undefined && "=+-@|%＝＋－＠".includes(visible);
}

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom(
      "=",
      "+",
      "-",
      "@",
      "|",
      "%",
      "＝",
      "＠",
      "'",
      '"',
      ",",
      ";",
      "\t",
      "\r",
      "\n",
      "\0",
      " ",
      "\u00a0",
      "\u200b",
      "\u2028",
      "\u202e",
      "\ufeff",
      "a",
      "1",
      "é",
      "😀",
      "\u0301",
    ),
    maxLength: 8,
  }),
);

test.each(["csv", "tsv"] as const)(
  "%s parses back to what went in, and no field begins with a trigger",
  async (format) => {
    const rows = fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const text = await rendered(format, resultOf(textColumns("a", "b"), given));
        const parsed = parse(text, {
          delimiter: format === "csv" ? "," : "\t",
          record_delimiter: format === "csv" ? "\r\n" : "\n",
          from: 2,
        }) as string[][];
        expect(parsed).toEqual(
          given.map((row) => row.map((cell) => (triggers(cell) ? `'${cell}` : cell))),
        );
        for (const field of parsed.flat()) expect(triggers(field)).toBe(false);
      }),
      { seed: 7, numRuns: 1500 },
    );
  },
  60_000,
);
