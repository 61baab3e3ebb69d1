import fc from "fast-check";
import { expect, test } from "vitest";
import { clipped, displayWidth, shortened } from "../../../../../pipeline/base/terminal/width.ts";
import { newTextResult } from "../../../../../pipeline/answers/report/result.ts";
import type { Column, Rows } from "../../../../../pipeline/base/rows/row.ts";
import { render, buildResult, textColumns } from "../support.ts";
import { readCpuMs } from "../../../../support/cost.ts";

const columns = [
  ...textColumns("actor_email"),
  { name: "denials", type: "BIGINT", kind: "number" as const },
  ...textColumns("note"),
];

test("a table has text left-aligned, numbers right-aligned, null empty", async () => {
  const result = buildResult(columns, [
    ["alice@example.com", 12n, "first"],
    [null, -3n, null],
    ["日本", null, "x"],
  ]);
  expect(await render("table", result)).toBe(
    [
      "actor_email        denials  note",
      "─────────────────  ───────  ─────",
      "alice@example.com       12  first",
      "                        -3",
      "日本                        x",
      "",
    ].join("\n"),
  );
});

test("an empty result is the header alone", async () => {
  expect(await render("table", buildResult(textColumns("a", "bb")))).toBe("a  bb\n─  ──\n");
});

test("long text is cut so that lines fit, numbers never are", async () => {
  const big = 2n ** 100n;
  const result = buildResult(columns, [["a".repeat(100), big, `b${"é".repeat(99)}`]]);
  const lines = (await render("table", result, { columns: 60 })).trimEnd().split("\n");
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(60);
  expect(lines[2]).toContain(String(big));
  expect(lines[2]).toMatch(/a… .*é…$/);
});

test("a listing shows typed values whole, and shortens others", async () => {
  const names = ["failed_sign_ins_then_success", "short"];
  const rows = names.map((name) => [name, "Who signed in after failing?", "--param user=…"]);
  for (const width of [80, 60, 50, 40]) {
    const listing = newTextResult(["name", "title", "needs"], rows);
    const text = await render("table", listing, { columns: width, leftOut: () => undefined });
    for (const name of names) expect(text.split(/\s+/)).toContain(name);
    for (const line of text.trimEnd().split("\n"))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
  }
});

test("a table of unlimited width cuts nothing, even if a later batch is wider", async () => {
  const result = buildResult(
    textColumns("a", "b"),
    [["x".repeat(300), "y"]],
    [["z".repeat(400), "é"]],
  );
  const text = await render("table", result, { columns: Number.POSITIVE_INFINITY });
  expect(text.split("\n").slice(2)).toEqual([`${"x".repeat(300)}  y`, `${"z".repeat(400)}  é`, ""]);
});

test("later batches use the widths of the first", async () => {
  const result = buildResult(textColumns("a", "b"), [["xx", "y"]], [["longer", "z"]]);
  expect(await render("table", result)).toBe("a   b\n──  ─\nxx  y\nl…  z\n");
});

test("numbers and times are never cut, also where a later batch is wider", async () => {
  const kinds = [
    { name: "n", type: "BIGINT", kind: "number" as const },
    { name: "t", type: "TIMESTAMP", kind: "time" as const },
  ];
  const rows = [[[1n, null]], [], [[12345678n, "2026-11-17T11:22:25.5Z"]]] as const;
  const lines = (await render("table", buildResult(kinds, ...rows), { columns: 10 })).split("\n");
  expect(lines.slice(2)).toEqual(["1", "12345678  2026-11-17 11:22:25.5", ""]);
});

const manyColumns = [...textColumns("a", "b", "c"), columns[1]!, ...textColumns("d")];
const words = (letter: string, count: number): string => `${letter} `.repeat(count).trim();
const manyCells = [words("a", 15), "b", words("c", 35), 5n, "d".repeat(20)] as const;

test("columns at the end that do not fit are omitted and named", async () => {
  const leftOutNames: string[][] = [];
  const leftOut = (names: readonly string[]): void => void leftOutNames.push([...names]);
  const draw = async (width: number): Promise<string[]> =>
    (
      await render("table", buildResult(manyColumns, [manyCells], [manyCells]), {
        columns: width,
        narrowest: 18,
        leftOut,
      })
    ).split("\n");
  const [head, , first] = await draw(60);
  expect(head!.split(/ +/)).toEqual(["a", "b", "c", "denials"]);
  expect(first).toBe(`${words("a", 11)} …  b  ${words("c", 11)} …        5`);
  expect(displayWidth(first!)).toBe(60);
  expect((await draw(10))[2]).toBe(`${words("a", 5)}…`);
  expect((await draw(200))[2]).toContain(manyCells[2]);
  expect(leftOutNames).toEqual([["d"], ["b", "c", "denials", "d"]]);
});

test("a table exactly as wide as the terminal keeps all of its columns", async () => {
  const leftOutNames: string[][] = [];
  const leftOut = (names: readonly string[]): void => void leftOutNames.push([...names]);
  const draw = (width: number): Promise<string> => {
    const result = buildResult(textColumns("a", "b"), [["xxxx", "yy"]]);
    return render("table", result, { columns: width, leftOut });
  };
  expect(await draw("xxxx  yy".length)).toBe("a     b\n────  ──\nxxxx  yy\n");
  expect(leftOutNames).toEqual([]);
  expect(await draw("xxxx  y".length)).toBe("a\n────\nxxxx\n");
  expect(leftOutNames).toEqual([["b"]]);
});

test("empty columns are omitted before others are omitted or shortened", async () => {
  const leftOutNames: string[][] = [];
  const result = buildResult(textColumns("actor", "reason", "policy", "note"), [
    ["rosa.olsen@example.com", null, "Partners", "late"],
  ]);
  const leftOut = (names: readonly string[]): void => void leftOutNames.push([...names]);
  const lines = (await render("table", result, { columns: 38, leftOut })).split("\n");
  expect(lines[2]).toBe("rosa.olsen@example.com  Partners  late");
  expect(leftOutNames).toEqual([["reason"]]);
});

test("an address is complete while other text is shortened, and then cut in the middle", async () => {
  const cells = ["rosa.olsen@example.com", "a text of many words"] as const;
  const draw = async (columns: number): Promise<string> => {
    const options = { columns, leftOut: () => undefined };
    const result = buildResult(textColumns("actor", "note"), [cells]);
    return (await render("table", result, options)).split("\n")[2]!;
  };
  expect(await draw(34)).toBe("rosa.olsen@example.com  a text of…");
  expect(await draw(22)).toBe("rosa.olsen@example.com");
  expect(await draw(15)).toBe("rosa.ol…ple.com");
});

test("sizes and durations have units for people, and only there", async () => {
  const number = (name: string): Column => ({ name, type: "BIGINT", kind: "number" });
  const amounts = ["bytes", "largest_bytes", "duration_seconds", "total_seconds", "seconds_ago"];
  const rows = [[25_598_265_970n, 999n, "0.4", 3780, 3780]] as const;
  const shown = ["25.6 GB", "999 bytes", "0.4 s", "1 h 3 min", "3780"];
  const result = (): Rows => buildResult(amounts.map(number), rows);
  const table = (await render("table", result())).split("\n")[2]!;
  expect(table.trim().split(/ {2,}/)).toEqual(shown);
  const lines = (await render("lines", result())).trim().split("\n").slice(1);
  expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual(shown);
  expect(await render("csv", result())).toContain("25598265970,999,0.4,3780,3780");
});

test("rows of which fewer than a third of the columns fit are written as lines, if allowed", async () => {
  const columns = textColumns("a", "b", "c", "d", "e");
  const rows = [Array.from({ length: 5 }, (_, i) => `${"x".repeat(29)}${i}`)];
  const draw = async (width: number): Promise<[string, number]> => {
    let count = 0;
    const options = { columns: width, leftOut: () => undefined, asLines: () => void (count += 1) };
    return [await render("table", buildResult(columns, rows, rows), options), count];
  };
  const [wide, none] = await draw(62);
  expect([wide.split("\n")[0]!.split(/ +/), none]).toEqual([["a", "b"], 0]);
  const [narrow, once] = await draw(61);
  expect(once).toBe(1);
  expect(narrow).toBe(await render("lines", buildResult(columns, rows, rows)));
});

const cellTexts = fc.oneof(
  fc.constant(null),
  fc.emailAddress(),
  fc.string({ unit: "grapheme", maxLength: 90 }),
  fc.constantFrom("Policy 00170", "a reason in some words", "選択"),
);

test("any table fits any width, with its first column and nothing but empty columns skipped", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: 120 }),
      fc.integer({ min: 1, max: 12 }).chain((count) =>
        fc.array(fc.array(cellTexts, { minLength: count, maxLength: count }), {
          minLength: 1,
          maxLength: 6,
        }),
      ),
      async (width, rows) => {
        const names = rows[0]!.map((_, i) => `c${i}`);
        const leftOutNames: string[] = [];
        const leftOut = (missing: readonly string[]): void => void leftOutNames.push(...missing);
        const text = await render("table", buildResult(textColumns(...names), rows), {
          columns: width,
          narrowest: 18,
          leftOut,
        });
        const lines = text.trimEnd().split("\n");
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const shown = lines[0]!.trim().split(/ +/);
        expect([...shown, ...leftOutNames].toSorted()).toEqual(names.toSorted());
        const hasContent = (name: string): boolean =>
          rows.some((row) => (row[names.indexOf(name)] ?? "") !== "");
        const filled = names.filter(hasContent);
        if (leftOutNames.length > 0 && filled.length > 0)
          expect(shown).toEqual(filled.slice(0, shown.length));
      },
    ),
    { seed: 7, numRuns: 400 },
  );
});

test("without a message, all columns are drawn", async () => {
  const text = await render("table", buildResult(manyColumns, [manyCells]), { columns: 40 });
  expect(text.split("\n")[0]!.split(/ +/)).toEqual(["a", "b", "c", "denials", "d"]);
});

test("a megabyte in one cell costs little", async () => {
  const result = buildResult(textColumns("q"), [["選 \n".repeat(350_000)]]);
  let text = "";
  const cpuMs = await readCpuMs(async () => (text = await render("table", result)));
  expect(text.length).toBeLessThan(400);
  expect(cpuMs).toBeLessThan(1000);
});

function isObeyed(character: string): boolean {
  const code = character.codePointAt(0)!;
  const ranges = [
    [0, 31],
    [127, 159],
    [8203, 8207],
    [8234, 8238],
    [8232, 8233],
    [8288, 8297],
    [65279, 65279],
    [55296, 57343],
  ] as const;
  return ranges.some(([from, to]) => code >= from! && code <= to!);
}

const evil = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom("\u001b", "\u009b", "\b", "\r", "\n", "\u202e", "\u2066", "\u200d", "a", "日"),
  ),
  maxLength: 60,
});

test.each(["table", "markdown"] as const)(
  "%s: no terminal sequence, one line per row",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(evil, evil), { maxLength: 10 }), async (rows) => {
        const text = await render(format, buildResult(textColumns("a", "b"), rows));
        expect([...text].filter((each) => each !== "\n" && isObeyed(each))).toEqual([]);
        expect(text.split("\n")).toHaveLength(rows.length + 3);
      }),
      { seed: 11, numRuns: 500 },
    );
  },
  60_000,
);

test("a clipped text fits the width and marks the cut", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.integer({ min: 1, max: 20 }),
      (text, width) => {
        const cut = clipped(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        expect(cut === text || cut.endsWith("…")).toBe(true);
      },
    ),
    { seed: 3 },
  );
});

test("a text shortened in the middle fits the width and keeps both ends", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.integer({ min: 1, max: 20 }),
      (text, width) => {
        const [start, end, more] = shortened(text, width).split("…");
        expect(displayWidth(shortened(text, width))).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width || text.includes("…")) return;
        expect([text.startsWith(start!), text.endsWith(end!), more]).toEqual([
          true,
          true,
          undefined,
        ]);
      },
    ),
    { seed: 5 },
  );
});
