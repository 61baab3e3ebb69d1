import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertCsvToLines } from "../../../../pipeline/core/records/csv.ts";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { countRecords } from "../../../../pipeline/core/records/each.ts";
import { decodeReadable } from "../../../../pipeline/core/records/text.ts";

const canary = "CANARY-content";

function listRows(csv: string | Buffer): unknown[] {
  const lines = convertCsvToLines(Buffer.from(csv)).toString("utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function refusal(csv: string | Buffer): string {
  try {
    convertCsvToLines(Buffer.from(csv));
  } catch (error) {
    expect(error).toBeInstanceOf(PageError);
    expect((error as Error).message).not.toContain(canary);
    return (error as Error).message;
  }
  throw new Error("the CSV was accepted");
}

const cell = fc
  .string({ unit: "grapheme", maxLength: 8 })
  .map((text) => text.replaceAll("\ufeff", ""));

describe("CSV rows", () => {
  it("are returned as they were written, without empty cells", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.boolean(),
        (rows, lineBreak, quoted, marked) => {
          const header = ["time", "a,b", 'c"d'];
          const csv = stringify([header, ...rows], {
            record_delimiter: lineBreak,
            quoted,
            bom: marked,
          });
          const filled = rows.map((row) =>
            Object.fromEntries(header.map((name, i) => [name, row[i]]).filter(([, text]) => text)),
          );
          // A row of one empty cell alone is an empty line, but there are three here.
          expect(listRows(csv)).toEqual(filled);
          expect(countRecords(Buffer.from(csv), "csv", null).records).toBe(rows.length);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  it("may have line breaks in cells, and no line break at the end", () => {
    expect(listRows('time,a\r\n1,"x\r\ny\n"\r\n\r\n2,z')).toEqual([
      { time: "1", a: "x\r\ny\n" },
      { time: "2", a: "z" },
    ]);
  });

  it("with another number of cells are rejected, and keep their text", () => {
    expect(listRows("time,a\n1\n2,b\n3,c,d\n")).toEqual([
      ["1"],
      { time: "2", a: "b" },
      ["3", "c", "d"],
    ]);
  });

  it("that are not UTF-8 keep their bytes", () => {
    const lines = convertCsvToLines(
      Buffer.from("time,a\n1,caf\u00e9\n2,caf\u00c3\u00a9\n", "latin1"),
    );
    expect(decodeReadable(lines)).toBe('{"time":"1","a":"caf\\xe9"}\n{"time":"2","a":"café"}\n');
  });

  it("have names that objects have too", () => {
    expect(listRows("time,__proto__,constructor\n1,a,b\n")).toEqual([
      JSON.parse('{"time":"1","__proto__":"a","constructor":"b"}'),
    ]);
  });
});

describe("a CSV page", () => {
  it.each([
    ["time,a\n1", "truncated"],
    ['time,a\n1,"CANARY-content', "truncated"],
    ["CANARY-content\n", "column time"],
    ["Please sign in", "column time"],
    ["time;a\n1;2\n", "column time"],
    ["\u0000\u0001CANARY-content\n", "not UTF-8 text"],
    ["CANARY-content,\u0001\n", "not UTF-8 text"],
    [Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), "not UTF-8 text"],
    [Buffer.from("time,a\n1,2\n", "utf16le"), "not UTF-8 text"],
    ["time,a,a\n1,2,3\n", "two columns"],
    ['time,a\n1,CANARY-content"x"\n', "quote"],
    ['time,a\n1,"x"CANARY-content\n', "quote"],
  ])("%j is refused: %s", (csv, reason) => {
    expect(refusal(csv)).toContain(reason);
  });

  it("without rows has no records", () => {
    expect(listRows("time,event_name\n")).toEqual([]);
    expect(countRecords(Buffer.from("time,event_name\r\n"), "csv", null).records).toBe(0);
  });
});
