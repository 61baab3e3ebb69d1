import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { arrangements, type FlatRecord } from "../../../../fixtures/files/arrangements.ts";
import { otherKinds } from "../../../../fixtures/files/other-kinds.ts";
import { packings } from "../../../../fixtures/files/packings.ts";
import { writeParquet } from "../../../../fixtures/files/parquet.ts";
import { readArrangedPages, findRecordPath } from "../../../../pipeline/core/import/cut-records.ts";
import { newStreamReader, watchBytes } from "../../../../pipeline/core/import/bytes.ts";
import { type FileForm, readFilePages } from "../../../../pipeline/core/import/pages.ts";
import { forEachLine, readJson } from "../../../../pipeline/core/records/each.ts";
import { temporaryFolder } from "../../../support/load.ts";

// The same records in every arrangement that tools write, and every packing, are read as the same records.

const folder = temporaryFolder();
afterAll(folder.remove);

async function texts(content: Buffer | string, form: FileForm = {}): Promise<string[]> {
  const path = join(folder.path, "file");
  writeFileSync(path, content);
  return textsIn(path, form);
}

async function textsIn(path: string, form: FileForm = {}): Promise<string[]> {
  const found: string[] = [];
  const watch = watchBytes(() => undefined);
  for await (const { bytes, format } of readFilePages(path, watch, form)) {
    const take = (start: number, end: number): void =>
      void found.push(bytes.toString("utf8", start, end));
    if (format === "json") readJson(bytes, null, take);
    else forEachLine(bytes, take);
  }
  return found;
}

const records: readonly FlatRecord[] = [
  { time: 1_767_225_600, event_name: "job_kill", id: "a", resource_name: 'é "quoted"; {x}|y' },
  { time: 1_767_225_601, event_name: "user_sign_in", id: "b", resource_name: "a\tb\r\nc, [d]" },
  { time: 1_767_225_601, event_name: "user_sign_in", id: "c", resource_name: "\u{1f600}\\" },
];
const asText = (record: object): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value)]));

describe.each(Object.entries(arrangements))(
  "the arrangement %s",
  (_name, { write, recordsAt, separator }) => {
    it.each(Object.keys(packings))("is read completely (%s)", async (packing) => {
      const content = packings[packing]!(Buffer.from(write(records)));
      const found = await texts(content, { givenAt: recordsAt, separator });
      expect(found.map((text) => asText(JSON.parse(text) as object))).toEqual(records.map(asText));
    });

    it("may contain a single record", async () => {
      const one = records.slice(0, 1);
      const found = await texts(write(one), { givenAt: recordsAt, separator });
      expect(found.map((text) => asText(JSON.parse(text) as object))).toEqual(one.map(asText));
    });
  },
);

it("Parquet is read as its rows, and its path is not a pattern", async () => {
  const path = join(folder.path, "a[1]*b?.parquet");
  await writeParquet(path, records);
  expect((await textsIn(path)).map((text) => JSON.parse(text) as object)).toEqual(records);
});

it.each([
  ["cut off", (bytes: Buffer) => bytes.subarray(0, -20), /damaged or not complete Parquet/],
  ["inside of gzip", (bytes: Buffer) => gzipSync(bytes), /Parquet inside compressed data/],
])("Parquet %s is refused", async (_how, change, reason) => {
  const path = join(folder.path, "whole.parquet");
  await writeParquet(path, records);
  await expect(texts(change(readFileSync(path)))).rejects.toThrow(reason);
});

describe("tokens retain the text of their input", () => {
  it.each([
    ["long numbers", '{"time":1,"event_name":"a","size":12345678901234567890.10E+5,"amount":-0}'],
    ["a key that comes twice", '{"time":1,"event_name":"a","x":1,"x":2}'],
    ["a half of a pair", String.raw`{"time":1,"event_name":"a","x":"\ud800"}`],
    ["control characters", String.raw`{"time":1,"event_name":"a","x":"\u0000\u001e\n"}`],
    [
      "lists and objects inside",
      '{"time":1,"event_name":"a","x":[{"y":[]},{},[[1,"2"]],null,true]}',
    ],
    ["records inside", '{"time":1,"event_name":"a","x":[{"time":2,"event_name":"b"}]}'],
    ["names that objects have", '{"time":1,"event_name":"a","__proto__":{"x":1}}'],
  ])("%s", async (_what, record) => {
    expect(await texts(`${record}${record}`)).toEqual([record, record]);
    expect(await texts(`[[${record}],[${record}]]`)).toEqual([record, record]);
  });
});

describe("input without records", () => {
  it.each([
    [
      "a fault between envelopes",
      '{"audits":[R]}{"error":"timeout"}{"audits":[R]}',
      ["R", '{"error":"timeout"}', "R"],
    ],
    ["values that are none", '[[R],5,"x",[R]]', ["R", "5", '"x"', "R"]],
    [
      "a page without a list",
      '{"pages":[{"audits":[R]},{"status":"gone"}]}',
      ["R", '{"status":"gone"}'],
    ],
    ["an envelope whose list is null", '{"audits":[R]}{"audits":null}', ["R"]],
    ["an envelope whose list is empty", '{"audits":[R]}{"audits":[],"next":{"a":1}}', ["R"]],
  ])(
    "is an unreadable record, unless it states that it is empty: %s",
    async (_what, text, expected) => {
      const record = '{"time":1,"event_name":"a"}';
      const fill = (one: string): string => one.replaceAll("R", record);
      expect(await texts(fill(text))).toEqual(expected.map(fill));
    },
  );

  it("is the complete file if the path leads nowhere", async () => {
    expect(await texts('{"audits":[{"time":1}]}', { givenAt: "hits.hits" })).toEqual([
      '{"audits":[{"time":1}]}',
    ]);
  });

  it("several lists of records are refused until one is named", async () => {
    const text =
      '{"a":[{"x":{"time":1,"event_name":"e"}}],"b":[{"y":{"time":2,"event_name":"e"}}]}';
    await expect(texts(text)).rejects.toThrow(
      /several places: a\.x, b\.y; name one with --records-at/,
    );
    expect(await texts(text, { givenAt: "b.y" })).toEqual(['{"time":2,"event_name":"e"}']);
  });
});

it.each(Object.entries(otherKinds))(
  "%s is refused by the name of its kind",
  async (_file, { bytes, name }) => {
    await expect(texts(bytes)).rejects.toThrow(name);
    await expect(texts(gzipSync(bytes))).rejects.toThrow(name);
  },
);

it.each([
  ["a file of zero bytes alone", Buffer.alloc(2_000_000), /empty/],
  [
    "a file packed five times",
    [1, 2, 3, 4, 5].reduce((b) => gzipSync(b), Buffer.from("[]")),
    /compressed more than 4 times/,
  ],
  ["text that is not UTF-8", Buffer.from('{"a":"\u00e9"}{"time":1}', "latin1"), /not UTF-8/],
])("%s is refused", async (_what, content, reason) => {
  await expect(texts(content)).rejects.toThrow(reason);
});

it("the hash of a file is that of its own bytes, regardless of its parsing", async () => {
  const path = join(folder.path, "hashed");
  for (const content of [
    gzipSync(gzipSync("[]")),
    Buffer.from('{"audits":[{"time":1}]} \n'),
    Buffer.from("time,a\n1,2\n"),
  ]) {
    writeFileSync(path, content);
    const watch = watchBytes(() => undefined);
    for await (const _ of readFilePages(path, watch)) continue;
    expect(watch.hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
  }
});

it("property: faults of JSON are found at their character (seed 7)", async () => {
  const value = fc.json({ maxDepth: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      async (values, where) => {
        const at = where % values.length;
        const before = `[\n${values.slice(0, at + 1).join(",\n")}`;
        const text = `${before},]`;
        const lines = before.split("\n");
        const place = `line ${lines.length}, column ${[...lines.at(-1)!].length + 2}: a comma before ]`;
        await expect(texts(text)).rejects.toThrow(place);
      },
    ),
    { seed: 7, numRuns: 100 },
  );
});

it("property: wherever the pieces of a file end, the records are the same (seed 11)", async () => {
  const names = Object.keys(arrangements).filter((name) => !name.startsWith("csv"));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      async (name, sizes) => {
        const { write, recordsAt } = arrangements[name]!;
        const whole = Buffer.from(write(records));
        async function* pieces(): AsyncGenerator<Buffer> {
          for (let at = 0, i = 0; at < whole.length; at += sizes[i++ % sizes.length]!)
            yield whole.subarray(at, at + sizes[i % sizes.length]!);
        }
        const path =
          recordsAt?.split(".") ?? findRecordPath(whole.toString().replaceAll("\u001e", " "))!;
        const file = {
          ...newStreamReader(pieces(), () => Promise.resolve()),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        };
        const found: unknown[] = [];
        for await (const page of readArrangedPages(file, path, 1))
          forEachLine(
            page,
            (start, end) => void found.push(JSON.parse(page.toString("utf8", start, end))),
          );
        expect(found).toEqual(records);
      },
    ),
    { seed: 11, numRuns: 200 },
  );
});
