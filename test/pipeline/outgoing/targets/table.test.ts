import { expect, it } from "vitest";
import {
  writeHtmlMessage,
  writeMailTable,
  writeTextTable,
} from "../../../../pipeline/outgoing/targets/table.ts";
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
  const message = writeHtmlMessage({ title: "auditlake: <i>", text: "1 < 2\n3" }, table);
  expect(message).toMatch(/>1 &lt; 2<\/p>\s*<p[^>]*>3<\/p>/);
  expect(message).toContain("<title>auditlake: &lt;i&gt;</title>");
  const [rows] = /<table[^>]*font-size:13px.*?<\/table>/s.exec(message)!;
  const cells = [...rows.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text]) => text);
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
  expect(writeHtmlMessage({ title: "t", text: "x" }, undefined)).not.toContain("<th");
});

it("a message links its own page alone", () => {
  const link = "https://audit.example.com/findings/1";
  const text = `see https://evil.example\npage: ${link}\npage: ${link}0`;
  const message = writeHtmlMessage({ title: "t", text, link }, undefined);
  expect([...message.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)).toEqual([link]);
});

it("as text of a message it is a table of 72 characters at most, else a block for each row", () => {
  const narrow = { ...table, rows: [["ana", 12n]] };
  expect(writeMailTable(narrow)).toBe(writeTextTable(narrow));
  const words = "some words of forty characters or so";
  const wide = {
    columns: listColumns(["actor", "first", "a_column_with_a_long_name"]),
    rows: [
      ["ana", words, words],
      [null, "x", `${words}, ${words}`],
    ],
  };
  expect(writeMailTable(wide).split("\n")).toEqual([
    "actor                      ana",
    `first                      ${words}`,
    `a_column_with_a_long_name  ${words}`,
    "",
    "first                      x",
    `a_column_with_a_long_name  ${words}, some`,
    "                           words of forty c…",
  ]);
});
