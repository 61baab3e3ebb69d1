import { expect, it } from "vitest";
import { writeHtmlMessage, writeTextTable } from "../../../../pipeline/outgoing/targets/table.ts";
import { listColumns } from "./rows.ts";

const long = "x".repeat(61);
const table = {
  columns: listColumns(["actor", "n"]),
  rows: [
    ["ana", 12n],
    [null, null],
    ["<b>eva & co</b>", 3],
    [long, "\u001b[31m"],
  ],
};
const cut = `${"x".repeat(59)}…`;

it("a text table is as wide as its longest values, and values that are too long are cut", () => {
  const wide = (text: string): string => text.padEnd(60);
  expect(writeTextTable(table).split("\n")).toEqual([
    `${wide("actor")}  n`,
    `${wide("ana")}  12`,
    "",
    `${wide("<b>eva & co</b>")}  3`,
    `${cut}  \\u001b[31m`,
  ]);
  const short = { ...table, rows: [["a", "b"]] };
  expect(writeTextTable(short)).toBe("actor  n\na      b");
});

it("an HTML table has the same content, escaped", () => {
  const message = writeHtmlMessage(["1 < 2"], table);
  expect(message).toContain("<p>1 &lt; 2</p>");
  const cells = [...message.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text]) => text);
  expect(cells).toEqual([
    "actor",
    "n",
    "ana",
    "12",
    "",
    "",
    "&lt;b&gt;eva &amp; co&lt;/b&gt;",
    "3",
    cut,
    "\\u001b[31m",
  ]);
  expect(writeHtmlMessage(["x"], undefined)).not.toContain("<table");
});
