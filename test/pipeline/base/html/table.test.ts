import { expect, it } from "vitest";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { htmlTable, shortenRow } from "../../../../pipeline/base/html/document.ts";
import { renderAnswer } from "../../../../pipeline/answers/report/render/html.ts";
import type { Column, Row } from "../../../../pipeline/base/rows/row.ts";

const column = (name: string): Column => ({ name, type: "VARCHAR", kind: "text" });

it("cuts a text once, says how long it was, and is no longer for it", () => {
  const note = " … (70000 characters; other formats have all)";
  for (const text of ["x".repeat(70_000), `${"x".repeat(70_000 - note.length)}${note}`]) {
    const [cut] = shortenRow([text]);
    expect(cut).toHaveLength(2000);
    expect(String(cut).endsWith("x (70000 characters; other formats have all)")).toBe(false);
    expect(String(cut).endsWith(note)).toBe(true);
    expect(shortenRow([cut!])).toEqual([cut]);
    expect(getMarkupText(htmlTable([column("a")], [[text]], "T"))).toContain(`>${String(cut)}<`);
  }
  const row: Row = ["x".repeat(2000), null, 7, true];
  expect(shortenRow(row)).toEqual(row);
});

it("shows fewer rows of many columns, and says so", async () => {
  const columns = Array.from({ length: 1000 }, (_, i) => column(`c${i}`));
  const batches = (async function* () {
    for (let i = 0; i < 5; i += 1) yield Array.from({ length: 100 }, () => columns.map(() => "x"));
  })();
  const about = { title: "T", facts: [], chart: undefined };
  const text = getMarkupText(await renderAnswer({ columns, batches }, about, 10_000));
  expect(text).toContain("the first 200 of 500 rows");
  expect(text.match(/<td /g)).toHaveLength(200_000);
});
