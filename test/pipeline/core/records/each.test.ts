import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { detectFormat } from "../../../../pipeline/core/records/format.ts";
import { countRecords, forEachLine, readJson } from "../../../../pipeline/core/records/each.ts";
import { gaps, jsonPage, recordText, type JsonPageText } from "./pages.ts";

const runs = { numRuns: 300, seed: 1 };

function listTexts(bytes: Buffer, recordsAt: string | null): string[] {
  const texts: string[] = [];
  readJson(bytes, recordsAt, (start, end) => texts.push(bytes.toString("utf8", start, end)));
  return texts;
}

const parse = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text));
const showsItself = (text: string): boolean => {
  const record = JSON.parse(text) as object;
  return "time" in record || "event_name" in record;
};
const buildBody = ({ text }: JsonPageText): unknown => JSON.parse(text.replace("\ufeff", ""));

describe("the records of a JSON page", () => {
  it("are those that a parser finds, by path or by themselves", () => {
    fc.assert(
      fc.property(jsonPage, fc.boolean(), (page, byPath) => {
        const bytes = Buffer.from(page.text);
        const recordsAt = byPath ? page.recordsAt : null;
        const isAlone = recordsAt === null && page.recordsAt !== null;
        // Found by themselves records are known by their time or the name of their event.
        if (isAlone && page.records.length > 0 && !page.records.some(showsItself)) {
          expect(() => countRecords(bytes, "json", null)).toThrow(PageError);
          return;
        }
        expect(parse(listTexts(bytes, recordsAt))).toEqual(parse(page.records));
        expect(countRecords(bytes, "json", recordsAt).records).toBe(page.records.length);
      }),
      runs,
    );
  });

  it("leave the envelope around an empty array unchanged", () => {
    fc.assert(
      fc.property(jsonPage, (page) => {
        const { envelope } = countRecords(Buffer.from(page.text), "json", page.recordsAt);
        const body = buildBody(page) as { audits?: unknown; data?: { items: unknown } };
        if (Array.isArray(body)) body.length = 0;
        else if (body.data) body.data.items = [];
        else body.audits = [];
        expect(envelope).toEqual(body);
      }),
      runs,
    );
  });

  it("are refused with a part of the page", () => {
    fc.assert(
      fc.property(
        jsonPage,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (page, at) => {
          const bytes = Buffer.from(page.text);
          const cut = bytes.subarray(0, Math.floor(at * bytes.length));
          expect(() => countRecords(cut, detectFormat(cut), page.recordsAt)).toThrow(PageError);
          expect(() => countRecords(cut, detectFormat(cut), null)).toThrow(PageError);
        },
      ),
      { ...runs, numRuns: 1000 },
    );
  });
});

describe("the records of lines", () => {
  it("are the lines that are not blank", () => {
    const lines = fc.array(
      fc.tuple(recordText, fc.constantFrom("\n", "\r\n", "\n\n", "\r\n \r\n")),
    );
    fc.assert(
      fc.property(lines, fc.constantFrom("", "\ufeff"), (pairs, mark) => {
        const records = pairs.map(([text]) => text.replaceAll(/[\r\n]/g, " "));
        const text = records.map((record, i) => record + pairs[i]![1]).join("");
        const bytes = Buffer.from(mark + text);
        const found: string[] = [];
        forEachLine(bytes, (start, end) => found.push(bytes.toString("utf8", start, end)));
        expect(found).toEqual(records);
        if (records.length > 0)
          expect(countRecords(bytes, "ndjson", null).records).toBe(records.length);
      }),
      runs,
    );
  });

  it("are refused if the last one is truncated", () => {
    const cut = Buffer.from('{"time":1}\n{"time":');
    expect(() => countRecords(cut, "ndjson", null)).toThrow(PageError);
    expect(countRecords(Buffer.from('{"time":1}\n{"time":2}'), "ndjson", null).records).toBe(2);
    expect(countRecords(Buffer.from('{"time":1}\n  '), "ndjson", null).records).toBe(1);
  });
});

describe("a truncated last line", () => {
  const first = '{"time":1,"event_name":"a"}\n';
  const readCount = (last: Buffer | string): number =>
    countRecords(Buffer.concat([Buffer.from(first), Buffer.from(last)]), "ndjson", null).records;

  it("is refused wherever it is cut", () => {
    const record = {
      time: 2,
      n: -1.5,
      ok: true,
      a: { b: [1, { c: '}"{\\' }] },
      d: "é]\n",
      e: null,
    };
    const texts = [record, { a: record, b: [] }, { a: [record] }].map((r) => JSON.stringify(r));
    for (const text of [...texts, JSON.stringify(record, null, 1).replaceAll("\n", "\r")]) {
      const whole = Buffer.from(text);
      expect(readCount(whole)).toBe(2);
      for (let end = 1; end < whole.length; end++)
        expect(() => readCount(whole.subarray(0, end)), `cut at ${end}`).toThrow(PageError);
    }
  });

  it.each([
    '{"time":2,"event_name":"bulk","task_duration":NaN}',
    '{"time":2,"a":"x\u0001"} ',
    '{"time":2,}',
    '{"time":2 "a":{]}\r',
    Buffer.from('{"time":2,"a":"caf\u00e9"}', "latin1"),
    "17",
  ])("is quarantined if it is complete and invalid: %s", (last) => {
    expect(readCount(last)).toBe(2);
  });

  it.each(['{"time":2} x', '{"time":2}{"time":3}', "busy, try later", "[1,2"])(
    "is refused if it contains something else: %s",
    (last) => {
      expect(() => readCount(last)).toThrow(PageError);
    },
  );
});

describe("the detected format", () => {
  it.each([
    ['[{"a":1}]', "json"],
    ["[]", "json"],
    ['\ufeff \n[{"a":1}]', "json"],
    ['{"audits":[{"time":1}]}', "json"],
    ['{"audits":[]}', "json"],
    ['{"time":1,"audits":[{"time":1}]}\n', "json"],
    ['{\n "time": 1,\n "audits": []\n}', "json"],
    ['{"audits":[{"time":1}]}\n{"audits":[{"time":2}]}\n', "json"],
    ['{"time":1,"event_name":"a"}', "ndjson"],
    ['\ufeff{"time":1}\r\n', "ndjson"],
    // A single record without a time must not pass for an envelope: it would block its window for good.
    ['{"event_name":"a","id":"1"}\n', "ndjson"],
    ['{"event_name":"a","old_value":[]}', "json"],
    ['{"old_value":[{"a":1}],"time":1,"event_name":"a"}\n{"time":2}\n', "ndjson"],
    ['{"a":1}\n{"b":2}\n', "ndjson"],
    ['{"time":1}\n{"time":', "ndjson"],
    ['{"time":1,"a":"cut\n{"time":2}\n', "ndjson"],
    ['{"time":1,"event_name":"a"} x\n{"time":2}\n', "ndjson"],
    ["time,event_name\n1,a\n", "csv"],
    ['"time","event_name"\n', "csv"],
  ])("of %j is %s", (text, format) => {
    expect(detectFormat(Buffer.from(text))).toBe(format);
  });

  it.each(["", " \r\n\t", "\ufeff", "<!doctype html>", " <xml/>"])("of %j is refused", (text) => {
    expect(() => detectFormat(Buffer.from(text))).toThrow(PageError);
  });

  it("of an array does not depend on the length of white space before it", () => {
    fc.assert(
      fc.property(fc.array(gaps, { maxLength: 50 }), (parts) => {
        expect(detectFormat(Buffer.from(`${parts.join("")}[]`))).toBe("json");
      }),
    );
  });
});
