import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newDraft } from "../../../../../pipeline/adapters/destinations/file/draft.ts";
import { withoutFormula } from "../../../../../pipeline/base/rows/delimited.ts";
import type { Cell, Column, Row, Rows } from "../../../../../pipeline/base/rows/row.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { deliver, filesBelow, newFolder, query } from "./setting.ts";

const columns: (string | Column)[] = [
  "actor",
  { name: "denials", type: "BIGINT", kind: "number" },
  { name: "share", type: "DECIMAL(10,2)", kind: "number" },
  { name: "ratio", type: "DOUBLE", kind: "number" },
  { name: "ok", type: "BOOLEAN", kind: "boolean" },
  { name: "at", type: "TIMESTAMP", kind: "time" },
];
const row: Row = ["ana", 3n, "0.50", 0.1, true, "2026-11-20T10:20:30.123456Z"];

// Names are quoted where they are not plain, values are those of the tool's results.
const text = fc.string({ unit: fc.constantFrom(..."a\"',;=\n\r\t{}\\é😀-@ 0".match(/./gsu)!) });
const cells: fc.Arbitrary<Row> = fc.tuple<Cell[]>(
  fc.option(text),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => (n / 100).toFixed(2))),
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  fc.option(fc.boolean()),
  fc.option(
    fc
      .date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString()),
  ),
);
const manyRows = fc.array(cells, { maxLength: 8 });
const few = { numRuns: 25 };

async function content(format: string, rows: readonly Row[], more: object = {}): Promise<string> {
  const folder = newFolder();
  await deliver(folder, listRows(columns, rows, 3), { format, ...more });
  return join(folder, `d1.${format}`);
}

describe("CSV, NDJSON and Parquet hold what was delivered", () => {
  it("property: CSV contains the delivered rows", async () => {
    await fc.assert(
      fc.asyncProperty(manyRows, fc.boolean(), async (rows, raw) => {
        const path = await content("csv", rows, { raw });
        const [header, ...found] = parse(readFileSync(path), { relax_column_count: false });
        expect(header).toEqual(
          columns.map((column) => (typeof column === "string" ? column : column.name)),
        );
        const safe = (cell: Cell, at: number): string =>
          cell === null ? "" : at === 0 && !raw ? withoutFormula(String(cell)) : String(cell);
        expect(found).toEqual(rows.map((cellsOf) => cellsOf.map(safe)));
      }),
      few,
    );
  });

  it("property: NDJSON contains the delivered rows", async () => {
    await fc.assert(
      fc.asyncProperty(manyRows, async (rows) => {
        const lines = readFileSync(await content("ndjson", rows), "utf8").split("\n");
        expect(lines.pop()).toBe("");
        const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(found).toEqual(
          rows.map(([actor, denials, share, ratio, ok, at]) => {
            const number = (cell: Cell | undefined): unknown =>
              cell === null ? null : Number(cell);
            // -0 is written as 0.
            const plain = ratio === 0 ? 0 : ratio;
            return { actor, denials: number(denials), share: number(share), ratio: plain, ok, at };
          }),
        );
      }),
      few,
    );
  });

  it("property: Parquet contains the delivered rows with their types", async () => {
    await fc.assert(
      fc.asyncProperty(manyRows, async (rows) => {
        const path = await content("parquet", rows);
        const found = await query(
          `select actor, denials, share, ratio::varchar ratio, ok, strftime("at", '%Y-%m-%dT%H:%M:%S.%gZ') as "at" from '${path}'`,
        );
        expect(found).toEqual(
          rows.map(([actor, denials, share, ratio, ok, at]) => ({
            actor,
            denials: denials === null ? null : String(denials),
            share,
            ratio:
              ratio === null
                ? null
                : expect.toSatisfy((printed) => Object.is(Number(printed), ratio)),
            ok,
            at,
          })),
        );
      }),
      few,
    );
  });

  it("Parquet keeps numbers, booleans and times, and the order of the rows", async () => {
    const many = Array.from({ length: 5000 }, (_, at): Row => [
      "x",
      BigInt(at),
      "0.50",
      0.1,
      true,
      row[5]!,
    ]);
    const path = await content("parquet", many);
    const described = await query(`describe select * from '${path}'`);
    expect(described.map((column) => column["column_type"])).toEqual([
      "VARCHAR",
      "BIGINT",
      "DECIMAL(10,2)",
      "DOUBLE",
      "BOOLEAN",
      "TIMESTAMP",
    ]);
    const [found] = await query(
      `select count(*)::int as n, bool_and(denials = file_row_number) as ordered, max("at")::varchar as "at" from read_parquet('${path}', file_row_number = true)`,
    );
    expect(found).toEqual({ n: 5000, ordered: true, at: "2026-11-20 10:20:30.123456" });
  });

  it("Parquet writes lists and similar values as JSON text", async () => {
    const folder = newFolder();
    const list: Column = { name: 'odd "name"', type: "VARCHAR[]", kind: "text" };
    await deliver(folder, listRows([list], [['["a","b"]']]), { format: "parquet" });
    expect(await query(`select * from '${folder}/d1.parquet'`)).toEqual([
      { 'odd "name"': '["a","b"]' },
    ]);
  });

  it.each(["csv", "ndjson", "parquet"])("an empty result is a file too: %s", async (format) => {
    const path = await content(format, []);
    if (format === "csv")
      expect(readFileSync(path, "utf8")).toBe("actor,denials,share,ratio,ok,at\r\n");
    if (format === "ndjson") expect(readFileSync(path, "utf8")).toBe("");
    if (format === "parquet")
      expect(await query(`select count(*)::int n from '${path}'`)).toEqual([{ n: 0 }]);
  });
});

describe("files are complete or unchanged", () => {
  it.each(["csv", "ndjson", "parquet"])(
    "%s: a result that fails halfway leaves the old file",
    async (format) => {
      const folder = newFolder();
      await deliver(folder, listRows(columns, [row]), { format });
      const before = readFileSync(join(folder, `d1.${format}`));
      const breakOff = async function* (): AsyncGenerator<readonly Row[]> {
        yield await Promise.resolve([row, row]);
        throw new Error("the query failed");
      };
      const rows: Rows = { ...listRows(columns, []), batches: breakOff() };
      await expect(deliver(folder, rows, { format })).rejects.toThrow("the query failed");
      expect(readFileSync(join(folder, `d1.${format}`))).toEqual(before);
      expect(filesBelow(folder)).toEqual([`d1.${format}`]);
    },
  );

  it("a folder that cannot be written to is an error that names it", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "file"), "");
    await expect(deliver(join(folder, "file"), listRows(["a"], []))).rejects.toThrow(
      /^cannot write below .*file: /,
    );
  });

  it("files are readable by their owner only", async () => {
    expect(statSync(await content("csv", [row])).mode & 0o077).toBe(0);
    // The folder of the drafts is, too, so that other users cannot open one by its name.
    const folder = newFolder();
    await using draft = await newDraft(folder, "a.csv", false);
    for (const path of [draft.folder, dirname(await draft.path("date=2026-01-01"))])
      expect(statSync(path).mode & 0o077).toBe(0);
  });
});

describe("names", () => {
  it("a repeated delivery replaces its file, and another delivery has its own", async () => {
    const folder = newFolder();
    await deliver(folder, listRows(["a"], [["1"], ["2"]]));
    await deliver(folder, listRows(["a"], [["3"]]));
    await deliver(folder, listRows(["a"], [["4"]]), {}, "d2");
    expect(filesBelow(folder)).toEqual(["d1.csv", "d2.csv"]);
    expect(readFileSync(join(folder, "d1.csv"), "utf8")).toBe("a\r\n3\r\n");
  });

  it("file_name has precedence over the name of the delivery", async () => {
    const folder = newFolder();
    await deliver(folder, listRows(["a"], []), { file_name: "latest" });
    expect(filesBelow(folder)).toEqual(["latest.csv"]);
  });
});

describe("partition_by_day", () => {
  const at = { name: "at", type: "TIMESTAMP", kind: "time" } as const;
  const days: Row[] = [
    ["a", "2026-11-20T23:59:59.999999Z"],
    ["b", "2026-11-21T00:00:00Z"],
    ["c", null],
    ["d", "2026-11-20T00:00:00Z"],
  ];
  const parted = { partition_by_day: "at" };

  it.each(["csv", "ndjson", "parquet"])(
    "%s: one file for each day in UTC, which readers find",
    async (format) => {
      const folder = newFolder();
      const delivery = await deliver(folder, listRows(["x", at], days, 1), { ...parted, format });
      expect(delivery.accepted).toBe(4);
      expect(filesBelow(folder)).toEqual([
        `date=2026-11-20/d1.${format}`,
        `date=2026-11-21/d1.${format}`,
        `date=__HIVE_DEFAULT_PARTITION__/d1.${format}`,
      ]);
      const read = { csv: "read_csv", ndjson: "read_json", parquet: "read_parquet" }[format];
      const found = await query(
        `select x, date::varchar as date from ${read}('${folder}/*/*.${format}', hive_partitioning = true) order by x`,
      );
      expect(found).toEqual([
        { x: "a", date: "2026-11-20" },
        { x: "b", date: "2026-11-21" },
        { x: "c", date: null },
        { x: "d", date: "2026-11-20" },
      ]);
    },
  );

  it("a repeated delivery removes its own previous days that have no rows any more", async () => {
    const folder = newFolder();
    await deliver(folder, listRows(["x", at], days), parted);
    await deliver(folder, listRows(["x", at], days), parted, "d2");
    await deliver(folder, listRows(["x", at], days.slice(0, 1)), parted);
    expect(filesBelow(folder)).toEqual([
      "date=2026-11-20/d1.csv",
      "date=2026-11-20/d2.csv",
      "date=2026-11-21/d2.csv",
      "date=__HIVE_DEFAULT_PARTITION__/d2.csv",
    ]);
  });

  it("under file_name the days of earlier deliveries stay", async () => {
    const folder = newFolder();
    const named = { ...parted, file_name: "denials" };
    await deliver(folder, listRows(["x", at], days.slice(0, 1)), named);
    await deliver(folder, listRows(["x", at], days.slice(1, 2)), named, "d2");
    expect(filesBelow(folder)).toEqual([
      "date=2026-11-20/denials.csv",
      "date=2026-11-21/denials.csv",
    ]);
  });

  it.each([
    [["x", at], "y", [], /^partition_by_day: y is not a column of the result/],
    [[{ name: "at", type: "BIGINT", kind: "number" }], "at", [], /at is a column of type BIGINT/],
    [["date", at], "at", [], /the result has a column named date/],
    [["at"], "at", [["2026-13-01"]], /at has a value that is not a date; .*; nothing was written/],
    [["at"], "at", [["../../etc"]], /at has a value that is not a date/],
  ] as [(string | Column)[], string, Row[], RegExp][])(
    "columns %j by %s are refused",
    async (names, by, rows, expected) => {
      const folder = newFolder();
      const failed = deliver(folder, listRows(names, rows), { partition_by_day: by });
      await expect(failed).rejects.toThrow(expected);
      expect(filesBelow(folder)).toEqual([]);
    },
  );
});

it("the summary has the written file and its number of rows, or says that there was nothing to write", async () => {
  const folder = newFolder();
  const days = ["2026-03-01", "2026-03-02"].map((day): Row => [`${day}T10:00:00Z`]);
  const at = [{ name: "at", type: "TIMESTAMP", kind: "time" }] as const;
  const readNote = async (rows: readonly Row[]): Promise<readonly string[]> => {
    const parted = { format: "csv", partition_by_day: "at" };
    return (await deliver(folder, listRows([...at], rows), parted)).notes;
  };
  expect(await readNote([])).toEqual([`no rows, so no file was written below ${folder}`]);
  expect(await readNote(days.slice(1))).toEqual([expect.stringMatching(/^wrote \/.*\.csv$/)]);
  expect(await readNote(days)).toEqual([`wrote 2 files below ${folder}`]);
});
