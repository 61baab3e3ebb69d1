import { expect, it } from "vitest";
import { shortenRow } from "../../../../pipeline/base/html/cells.ts";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { writeTable } from "../../../../pipeline/base/html/table.ts";
import type { TableColumn } from "../../../../pipeline/base/html/columns.ts";
import { renderAnswer } from "../../../../pipeline/answers/report/render/html.ts";
import type { Row } from "../../../../pipeline/base/rows/row.ts";

const column = (name: string, more: Partial<TableColumn> = {}): TableColumn => ({
  name,
  type: "VARCHAR",
  kind: "text",
  ...more,
});
const number = (name: string): TableColumn => column(name, { type: "BIGINT", kind: "number" });
const display = { zone: "UTC", domain: "example.com" };

function write(columns: readonly TableColumn[], rows: readonly Row[], more = {}): string {
  return getMarkupText(writeTable({ columns, rows, label: "T", display, ...more }));
}

/** The texts of the cells of a column, and the headings that are shown. */
const readTexts = (html: string, tag: string): string[] =>
  [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>([^]*?)</${tag}>`, "g"))].map(([, text]) =>
    text!.replaceAll(/<[^>]*>/g, "").trim(),
  );
const readShown = (html: string): string[] =>
  [...html.matchAll(/<th scope="col" class="([^"]*)"[^>]*>([^<]*)/g)].flatMap(
    ([, classes, title]) => (/\bhs\b/.test(classes!) ? [] : [title!.trim()]),
  );

it("a text is cut once, with its length, and does not become longer", () => {
  const note = " … (70000 characters; complete in other formats)";
  for (const text of ["x".repeat(70_000), `${"x".repeat(70_000 - note.length)}${note}`]) {
    const [cut] = shortenRow([text]);
    expect(cut).toHaveLength(2000);
    expect(String(cut).endsWith("x (70000 characters; complete in other formats)")).toBe(false);
    expect(String(cut).endsWith(note)).toBe(true);
    expect(shortenRow([cut!])).toEqual([cut]);
    const html = write([column("a")], [[text]]);
    expect(html).toContain(`title="${String(cut)}"`);
    expect(readTexts(html, "td")[0]).toHaveLength(301);
  }
  const row: Row = ["x".repeat(2000), null, 7, true];
  expect(shortenRow(row)).toEqual(row);
});

it("fewer rows are shown for many columns, with a note", async () => {
  const columns = Array.from({ length: 1000 }, (_, i) => column(`c${i}`));
  const batches = (async function* () {
    for (let i = 0; i < 5; i += 1) yield Array.from({ length: 100 }, () => columns.map(() => "x"));
  })();
  const about = { title: "T", facts: [], chart: undefined };
  const text = getMarkupText(await renderAnswer({ columns, batches }, about, 10_000));
  expect(text).toContain("Showing 200 of 500 rows");
  expect(text.match(/<td /g)).toHaveLength(200_000);
});

it("as many columns are shown as fit beside something else, and always the flexible one", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const columns = names.map((name) => column(name, { isFlexible: name === "f" }));
  const row = (length: number): Row => names.map(() => "x".repeat(length));
  const rows = [row(30), row(29)];
  const listShown = (more = {}) =>
    readShown(write(columns, rows, more)).map((t) => t.toLowerCase());
  expect(listShown()).toEqual(names);
  expect(listShown({ besideWidth: 300 })).toEqual(["a", "b", "c", "d", "f"]);
  expect(listShown({ besideWidth: 600 })).toEqual(["a", "b", "c", "f"]);
});

it("people are measured without the usual domain", () => {
  const columns = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => column(name));
  const listShown = (domain: string) =>
    readShown(
      write(
        columns,
        ["x", "y"].map((of) => columns.map(() => `first.last.${of}@${domain}`)),
      ),
    ).length;
  expect(listShown("example.com")).toBe(8);
  expect(listShown("a-longer-domain-of-others.example")).toBeLessThan(8);
});

it("values are formatted by kind and name, an empty one as a dash", () => {
  const columns = [
    column("at", { kind: "time", type: "TIMESTAMP" }),
    column("day", { kind: "time", type: "DATE" }),
    column("actor"),
    number("bytes"),
    number("events"),
    number("run_seconds"),
    number("job_id"),
    column("outcome"),
    column("note"),
  ];
  const cells = readTexts(
    write(columns, [
      [
        "2026-11-22T17:50:03.25Z",
        "2026-11-22",
        "ada@example.com",
        25598265970n,
        60876,
        203,
        1234567,
        "denied",
        null,
      ],
    ]),
    "td",
  );
  expect(cells).toEqual([
    "22 Nov 17:50",
    "Sun 22 Nov",
    "ada",
    "25.6 GB",
    "60,876",
    "3 min 23 s",
    "1234567",
    "denied",
    "—",
  ]);
});

it("a column with one value moves into the heading, and an empty one is hidden", () => {
  const columns = [column("who"), column("ip_address"), column("note"), number("events")];
  const rows: Row[] = [
    ["a", "198.51.100.52", null, 1],
    ["b", "198.51.100.52", null, 2],
  ];
  const html = write(columns, rows, { title: "Rows" });
  expect(readShown(html)).toEqual(["Who", "Events"]);
  expect(html).toContain("all from 198.51.100.52");
  expect(html).toMatch(/All columns\s+\(4\)/);
  // Of one row only what is empty is left out.
  expect(readShown(write(columns, rows.slice(0, 1)))).toEqual(["Who", "Address", "Events"]);
});

it("a number that all rows share is lifted as that of each, and a zero is not", () => {
  const columns = [column("who"), number("failed"), number("tries")];
  const html = write(columns, [
    ["a", 0, 3],
    ["b", 0, 3],
  ]);
  expect(readShown(html)).toEqual(["Who"]);
  expect(html).toContain("Tries: 3 each");
  expect(html).not.toContain("Failed: 0");
  const only = write(columns.slice(0, 2), [
    ["a", 0],
    ["b", 0],
  ]);
  expect(readShown(only)).toEqual(["Who", "Failed"]);
});

it("an id is hidden if its object has a name, and kept if it is alone", () => {
  const rows: Row[] = [
    ["1", "7", "ada", "k1"],
    ["2", "8", "bob", "k2"],
  ];
  const columns = [column("job_id"), column("user_id"), column("actor"), column("event_key")];
  expect(readShown(write(columns, rows))).toEqual(["Job id", "Person"]);
});

it("the columns of events are in reading order", () => {
  const names = ["event_key", "bytesize", "path", "actor", "event_name", "outcome", "event_time"];
  const columns = names.map((name) => column(name, name === "bytesize" ? number(name) : {}));
  const rows = [0, 1].map((i): Row => names.map((name) => `${name}${i}`));
  expect(readShown(write(columns, rows, { isEventList: true }))).toEqual([
    "Time",
    "Outcome",
    "Event",
    "Person",
    "Path",
    "Bytesize",
  ]);
});

it("numbers and times are sorted by value", () => {
  const html = write(
    [number("events"), column("at", { kind: "time" })],
    [[1234, "2026-11-22T17:50:03Z"]],
  );
  expect(html).toContain('data-v="1234"');
  expect(html).toContain('data-v="2026-11-22T17:50:03Z"');
});
