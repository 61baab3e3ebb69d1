import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newScan, newScanner, type Scan } from "../../../../pipeline/core/records/scan.ts";
import { recordText } from "./pages.ts";
import { readCpuMs } from "../../../support/cost.ts";

const known = ["time", "event_name", "user_id", "query_text"];
const scanner = newScanner(known);

function buildScan(text: string, limit = Buffer.byteLength(text)): Scan {
  const scan = newScan();
  scanner(Buffer.from(text), 0, limit, scan);
  return scan;
}

describe("the scan of a record", () => {
  it("ends where the record does and finds its unknown members", () => {
    fc.assert(
      fc.property(recordText, fc.constantFrom("", ",", "]", " \n"), (text, rest) => {
        const bytes = Buffer.from(text + rest);
        const scan = buildScan(text + rest);
        const record = JSON.parse(text) as Record<string, unknown>;
        expect([scan.problem, scan.end]).toEqual([null, Buffer.byteLength(text)]);
        const spans = scan.unknown.map(({ start, end }) => bytes.toString("utf8", start, end));
        const unknown = Object.entries(record).filter(([key]) => !known.includes(key));
        expect(JSON.parse(`{${spans.join(",")}}`)).toEqual(Object.fromEntries(unknown));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("stays within its limit", () => {
    fc.assert(
      fc.property(recordText, fc.nat(), (text, at) => {
        const limit = at % Buffer.byteLength(text);
        expect(buildScan(text, limit)).toMatchObject({ end: -1, problem: "invalid_json" });
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("stays within its limit in the middle of an escape", () => {
    const text = String.raw`{"a\"b\\":"\n\/\u00e9\ud83d\ude00","c":["\u0041\""]}`;
    for (let limit = 0; limit < text.length; limit++)
      expect(buildScan(text, limit), text.slice(0, limit)).toMatchObject({
        end: -1,
        problem: "invalid_json",
      });
    expect(buildScan(text)).toMatchObject({ end: text.length, problem: null });
  });

  it.each([
    '{"time":01}',
    '{"time":+1}',
    '{"time":1.}',
    '{"time":.5}',
    '{"time":1e}',
    '{"time":NaN}',
    '{"time":-}',
    '{"time":nul}',
    '{"time":nulll}',
    '{"time":"a\nb"}',
    '{"time":"\\x"}',
    '{"time":"\\u12g4"}',
    '{"time":"\\ud800"}',
    '{"time":"\\ud800\\u0041"}',
    '{"time":"\\udc00"}',
    '{"time":}',
    '{"time"}',
    '{"time":1,}',
    '{,"time":1}',
    '{"time":1 "a":2}',
    "{time:1}",
    '{"time":1',
    "{",
  ])("refuses %j", (text) => {
    expect(buildScan(text).problem).toBe("invalid_json");
  });
});

describe("keys of a record", () => {
  it.each([
    ['{"time":1,"user_id":2,"time":3}', "duplicate_key"],
    ['{"time":1,"ti\\u006de":1}', "duplicate_key"],
    ['{"shade":1,"user_id":2,"shade":3}', "duplicate_key"],
    ['{"a\\/b":1,"a/b":1}', "duplicate_key"],
    ['{"":1,"":1}', "duplicate_key"],
    ['{"time":{"a":1,"a":2}}', null],
    ['{"Time":1,"time":1}', null],
    ['{"auditlake:others":{}}', "reserved_key"],
    ['{"auditlake\\u003aanything":1}', "reserved_key"],
    ['{"shade":{"auditlake:others":{}}}', null],
  ])("of %s mean %s", (text, problem) => {
    expect(buildScan(text).problem).toBe(problem);
  });

  it("are found in any order, from record to record", () => {
    for (const text of ['{"time":1,"user_id":2}', '{"user_id":1,"time":2}', '{"times":1,"tim":2}'])
      for (let i = 0; i < 3; i++)
        expect(buildScan(text).unknown).toHaveLength(text.includes("times") ? 2 : 0);
  });
});

describe("careful parsing", () => {
  it.each([
    ['{"a":"x","b":1,"c":1.50,"d":null,"e":"é\\n\\"\\/"}', false],
    ['{"a":"a {b, c} [d]"}', false],
    ['{"a":"{\\"b\\":false}"}', false],
    ['{"a":"[\\"b\\",\\"c\\",[1,2]]"}', false],
    ['{"a":"{\\"b\\":1,\\"c\\":2}"}', true],
    ['{"a":"{ \\"b\\":1}"}', true],
    ['{"a":"{\\"b\\":\\"\\\\u0041\\"}"}', true],
    ['{"a":"[{\\"b\\":1}]"}', true],
    ['{"a":"[1, 2]"}', true],
    ['{"a":{}}', true],
    ['{"a":[1]}', true],
    ['{"a":"\\u001e"}', true],
    ['{"a\\u0062":1}', true],
  ])("for %s is needed: %s", (text, isNeeded) => {
    expect(buildScan(text)).toMatchObject({ problem: null, isComplex: isNeeded });
  });

  it("for line breaks is needed only between tokens", () => {
    expect(buildScan('{"a":\n1}').hasLineBreak).toBe(true);
    expect(buildScan('{"a":[1,\r2]}').hasLineBreak).toBe(true);
    expect(buildScan('{"a":"\\n"}').hasLineBreak).toBe(false);
  });

  it("has a limit of depth", () => {
    const deep = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(buildScan(deep(200)).problem).toBe(null);
    expect(buildScan(deep(201)).problem).toBe("too_deep");
    expect(buildScan(deep(500_000)).problem).toBe("too_deep");
  });
});

it("takes time in proportion to the record, with any content", async () => {
  const million = 1_000_000;
  const texts = [
    `{"a":"${"{".repeat(million)}"}`,
    `{"a":"${"{[".repeat(million)}"}`,
    `{"a":${'{"a":'.repeat(million / 5)}`,
    `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`,
    `{"a":"${"\\u0041".repeat(million / 5)}"}`,
  ];
  expect(await readCpuMs(() => texts.map(buildScan))).toBeLessThan(3000);
});
