import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { isBlock, type PageFile } from "../../../../pipeline/answers/page-file/page-file.ts";
import { projectPath } from "../../../docs/pages.ts";
import { hasBlocks, parsePage } from "../../../../pipeline/answers/page-file/parse.ts";

const { reports } = findReports();
const source = { name: "mine", file: "mine.md", isBuiltIn: false };
const parse = (text: string): PageFile => parsePage(text, source, reports);

/** A page of one block, with its fence in line 3. */
const blockOf = (kind: string, ...lines: string[]): string =>
  ["# Mine", "", `\`\`\`${kind}`, ...lines, "```", ""].join("\n");

test("a page is a title, sections, text and blocks in their order", () => {
  const page = parse(
    [
      "# Denials of the *finance* team",
      "Look here **first**.",
      "```status",
      "```",
      "## Who was denied",
      "```chart",
      "report: denials_by_day",
      "since: 14d",
      "chart: bars x=day y=denials stack=denial_kind",
      "```",
      "```table",
      "report: denials_by_actor",
      "title: People",
      "rows: 5",
      "```",
    ].join("\n"),
  );
  expect(page.title).toBe("Denials of the finance team");
  const [top, below] = page.sections;
  expect(page.sections.map(({ heading }) => heading)).toEqual([undefined, "Who was denied"]);
  expect(top!.parts.map((part) => (isBlock(part) ? part.kind : getMarkupText(part)))).toEqual([
    "<p>Look here <strong>first</strong>.</p>",
    "status",
  ]);
  const [chart, table] = below!.parts.filter(isBlock);
  expect(chart).toMatchObject({ kind: "chart", chart: { kind: "bars", stack: "denial_kind" } });
  expect(chart!.chart).not.toHaveProperty("usual");
  expect(Object.fromEntries(chart!.asked!.given)).toEqual({ since: "14d" });
  expect(table).toMatchObject({ kind: "table", title: "People", rows: 5 });
});

test("a chart without an override is that of its report", () => {
  const [section] = parse(blockOf("chart", "report: denials_by_day")).sections;
  const { chart } = reports.find(({ name }) => name === "denials_by_day")!;
  expect(section!.parts).toMatchObject([{ chart }]);
});

test.each([
  ["no title", "```status\n```\n", 'mine.md:1: the page has no title; expected a line "# Title"'],
  [
    "an unknown block",
    blockOf("tabel"),
    'mine.md:3: unknown block "tabel"; expected status, findings, tiles, chart, table, folded, or no word for code',
  ],
  [
    "an unknown report",
    blockOf("table", "report: denials_by_dya"),
    'mine.md:4: no report is called "denials_by_dya"; did you mean denials_by_day or denials_by_hour?',
  ],
  [
    "an unknown parameter",
    blockOf("table", "report: denials_by_day", "", "sinc: 7d"),
    'mine.md:6: unknown parameter "sinc"; denials_by_day takes since timestamp = 7d, until timestamp = now',
  ],
  [
    "a value that is none",
    blockOf("table", "report: denials_by_day", "since: banana"),
    /^mine\.md:4: parameter since: "banana" is not a time; /,
  ],
  [
    "a missing parameter",
    blockOf("table", "report: user_timeline"),
    /^mine\.md:4: report user_timeline needs /,
  ],
  [
    "a key given twice",
    blockOf("table", "report: denials_by_day", "rows: 1", "rows: 2"),
    'mine.md:6: "rows" is given twice',
  ],
  [
    "a line that is no pair",
    blockOf("table", "denials_by_day"),
    'mine.md:4: found "denials_by_day"; expected "key: value"',
  ],
  ["a table without a report", blockOf("table"), 'mine.md:3: the block table has no "report: …"'],
  [
    "a number of rows that is none",
    blockOf("table", "report: denials_by_day", "rows: many"),
    'mine.md:5: rows is "many"; expected a number from 1 to 100',
  ],
  [
    "a chart that is none",
    blockOf("chart", "report: denials_by_day", "chart: pie x=day y=denials"),
    /^mine\.md:5: unknown chart "pie"; /,
  ],
  [
    "a column that the report does not have",
    blockOf("chart", "report: denials_by_actor", "chart: bars x=actor y=refusals"),
    "mine.md:5: the chart needs column refusals, which is missing from denials_by_actor",
  ],
  [
    "a report without a chart",
    blockOf("chart", "report: denials_list"),
    'mine.md:3: denials_list declares no chart; add "chart: bars x=COLUMN y=COLUMN"',
  ],
  [
    "a line in a block that takes none",
    blockOf("status", "since: 7d"),
    'mine.md:4: found "since"; a block status takes no lines',
  ],
  [
    "a folded block of two things",
    blockOf("folded", "report: denials_by_day", "show: pipeline"),
    'mine.md:3: a block folded has either "report: …" or "show: …" (checked, pipeline)',
  ],
  [
    "words after the kind",
    blockOf("table denials_by_day"),
    'mine.md:3: found "denials_by_day" after table; expected it on a line of its own',
  ],
])("%s is one clear line", (_, text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test("the example of the documentation is a valid page", () => {
  const docs = readFileSync(projectPath("docs/looking.md"), "utf8");
  const [, example = ""] = /^````markdown\n(.*?)^````$/ms.exec(docs) ?? [];
  const page = parse(example);
  expect(page.title).toBe("Finance team");
  expect(page.sections.flatMap(({ parts }) => parts).filter(isBlock)).toHaveLength(3);
});

test("a file without a block is refused", () => {
  expect(hasBlocks("# Notes\n\n```sql\nselect 1\n```\n")).toBe(false);
  expect(hasBlocks(blockOf("status"))).toBe(true);
});

test("text with HTML, scripts and script addresses is shown, not run", () => {
  const page = parse(
    [
      "# Mine",
      '<script>alert("1")</script>',
      "",
      'A <b onclick="x()">word</b>, [one](javascript:alert(1)), [two](/reports), ![picture](http://x/y.png)',
      "",
      "- a list with `code`",
      "",
      "    indented <i>code</i>",
      "",
      "```status",
      "```",
    ].join("\n"),
  );
  const text = page.sections
    .flatMap(({ parts }) => parts)
    .map((part) => (isBlock(part) ? "" : getMarkupText(part)))
    .join("");
  expect(text).not.toMatch(/<(?:script|b|i|img)\b/);
  expect([...text.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)).toEqual(["/reports"]);
  expect(text).toContain("<code>code</code>");
  expect(text).toContain("&lt;script&gt;");
});
