import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { StageResult } from "../../../../pipeline/core/records/stage-page.ts";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import type { PageFormat } from "../../../../pipeline/core/records/format.ts";
import { parseKeepingNumbers } from "../../../../pipeline/core/records/canonical.ts";
import { writeCanonicalTexts } from "../../../../pipeline/core/records/identity.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { stageTo } from "../../../support/stage.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const rules = {
  identity: { event_name: "text", id: "text", old_value: "text", time: "time" } as const,
  maxRecordBytes: 500,
};
let files = 0;

function stage(
  body: string | Buffer,
  format: PageFormat,
): Omit<StageResult, "longest"> & { readonly lines: readonly string[] } {
  const file = join(folder.path, `${(files += 1)}.ndjson`);
  const { longest, ...staged } = stageTo(
    Buffer.from(body),
    { format, recordsAt: null },
    rules,
    file,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = formatLines(file);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(longest);
  return { ...staged, lines };
}

const formatLines = (file: string): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);
/** A record with its place on the page, as staging writes it. */
const placeId = (record: string, place: number, more = ""): string =>
  `${record.slice(0, -1)},"auditlake:number":${place}${more}}`;
const parse = (json: string) => parseKeepingNumbers(json) as Record<string, unknown>;
const texts = (record: string): string =>
  `,"auditlake:texts":${JSON.stringify(writeCanonicalTexts(parse(record), rules.identity))}`;

describe("staging of a page", () => {
  const plain = ['{"time":1,"event_name":"a"}', '{"event_name":"b","time":2}'];

  it("writes plain records as received, with their position", () => {
    const bodies: [string, PageFormat][] = [
      [`[${plain.join(",")}]`, "json"],
      [`{"audits" : [ ${plain.join(" , ")} ] }`, "json"],
      [`${plain.join("\n")}\n`, "ndjson"],
      [`\ufeff${plain.join("\r\n\r\n")}`, "ndjson"],
    ];
    for (const [body, format] of bodies)
      expect(stage(body, format)).toEqual({
        fetched: 2,
        rejects: [],
        lines: plain.map((one, i) => placeId(one, i)),
      });
  });

  it("separates unknown members", () => {
    const record = '{"time":1,"shade":"red","event_name":"a","n":{"b":1}}';
    const others = ',"auditlake:others":{"n":{"b":1},"shade":"red"}';
    expect(stage(record, "ndjson").lines).toEqual([placeId(record, 0, texts(record) + others)]);
  });

  it("writes a record of several lines as one", () => {
    const record = { time: 1, old_value: { b: "x\ny", a: [1] }, shade: "é" };
    const { lines } = stage(JSON.stringify([record], null, 2).replaceAll("\n", "\r\n"), "json");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      ...record,
      "auditlake:texts": writeCanonicalTexts(parse(JSON.stringify(record)), rules.identity),
    });
  });

  it("separates records without an id", () => {
    const named = ['{"id":"1","time":1}', '{"time":2,"old_value":{"id":7},"id":"2"}'];
    const nameless = ['{"time":3}', '{"time":4,"old_value":"\\"id\\":5","shade":"\\u0001"}'];
    const records = [named[0], nameless[0], nameless[1], named[1]];
    for (const [body, format] of [
      [`[${records.join(",")}]`, "json"],
      [records.join("\n"), "ndjson"],
    ] as const) {
      const [file, apart] = [1, 2].map(() => join(folder.path, `${(files += 1)}.ndjson`));
      const bytes = Buffer.from(body);
      const { fetched } = stageTo(bytes, { format, recordsAt: null }, rules, file!, apart);
      const times = [file, apart].map((path) =>
        formatLines(path!).map((l) => /"time":(\d)/.exec(l)![1]),
      );
      expect([fetched, ...times]).toEqual([4, ["1", "2"], ["3", "4"]]);
    }
  });

  it("refuses a truncated page", () => {
    const file = join(folder.path, "refused.ndjson");
    const body = Buffer.from('[{"time":1},{"time":2}');
    const stageIt = (): unknown => stageTo(body, { format: "json", recordsAt: null }, rules, file);
    expect(stageIt).toThrow(PageError);
  });

  it("writes many records with little memory", () => {
    const count = 100_000;
    const body = Buffer.from(`[${`${plain[0]},`.repeat(count - 1)}${plain[1]}]`);
    const { fetched, lines } = stage(body, "json");
    expect([fetched, lines.length, lines.at(-1)]).toEqual([
      count,
      count,
      placeId(plain[1]!, count - 1),
    ]);
  });
});

describe("a rejected record", () => {
  const good = '{"time":1}';
  it.each([
    ["invalid_json", '{"time":tru}'],
    ["invalid_json", '{"time":1}}'],
    ["invalid_json", '{"time":1} {"time":2}'],
    ["invalid_json", '{"old_value":[1,]}'],
    ["invalid_json", '{"old_value":{"a":1 "b":2}}'],
    ["invalid_json", "time=1"],
    ["not_an_object", "[1]"],
    ["not_an_object", '"time"'],
    ["not_an_object", "null"],
    ["duplicate_key", '{"time":1,"time":2}'],
    ["reserved_key", '{"auditlake:texts":"0"}'],
    ["no_time", "{ }"],
    ["too_deep", `{"old_value":${"[".repeat(201)}${"]".repeat(201)}}`],
    ["too_large", `{"event_name":"${"x".repeat(500)}"}`],
  ])("is %s: %s", (reason, text) => {
    const { rejects, lines, fetched } = stage(`${good}\n${text}\n${good}\n`, "ndjson");
    expect({ rejects, lines, fetched }).toEqual({
      rejects: [{ reason, text }],
      lines: [placeId(good, 0), placeId(good, 2)],
      fetched: 3,
    });
  });

  it.each([
    '{"time":tru}',
    '{"old_value":[1,]}',
    '{"old_value":{"a":1 "b":2}}',
    '{"event_name":"a\u0001","old_value":"]"}',
    "[1]",
    "null",
    '{"time":1,"time":2}',
    "{ }",
    `{"event_name":"${"x".repeat(500)}"}`,
  ])("is rejected in an array as on a separate line: %s", (text) => {
    const inArray = stage(`{"audits":[${good}, ${text} ,${good}],"next_page":2}`, "json");
    expect(inArray).toEqual(stage(`${good}\n${text}\n${good}\n`, "ndjson"));
    expect(inArray.rejects).toHaveLength(1);
  });

  it("that is not UTF-8 leaves its neighbours accepted", () => {
    const bad = Buffer.from('{"event_name":"caf\u00e9"}', "latin1");
    const reject = { reason: "not_utf8", text: '{"event_name":"caf\\xe9"}' };
    const body = Buffer.concat([Buffer.from(`[${good},`), bad, Buffer.from(`,${good}]`)]);
    expect(stage(body, "json")).toEqual({
      fetched: 3,
      rejects: [reject],
      lines: [placeId(good, 0), placeId(good, 2)],
    });
    const csv = Buffer.from("time,event_name\n1,caf\u00e9\n2,b\n", "latin1");
    expect(stage(csv, "csv")).toEqual({
      fetched: 2,
      rejects: [{ reason: "not_utf8", text: '{"time":"1","event_name":"caf\\xe9"}' }],
      lines: [placeId('{"time":"2","event_name":"b"}', 1)],
    });
  });

  it("is a CSV row with too few or too many cells", () => {
    expect(stage("time,event_name\n1\n2,b\n3,c,d\n", "csv")).toEqual({
      fetched: 3,
      rejects: [
        { reason: "not_an_object", text: '["1"]' },
        { reason: "not_an_object", text: '["3","c","d"]' },
      ],
      lines: [placeId('{"time":"2","event_name":"b"}', 1)],
    });
  });
});
