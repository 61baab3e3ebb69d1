import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { stringify } from "csv-stringify/sync";
import { afterAll, describe, expect, it } from "vitest";
import { readFilePages } from "../../../../pipeline/core/import/pages.ts";
import { watchBytes } from "../../../../pipeline/core/import/bytes.ts";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { forEachLine, readJson } from "../../../../pipeline/core/records/each.ts";
import { temporaryFolder } from "../../../support/load.ts";

// Files of records in every form are cut into pages between records, however long they are.

const folder = temporaryFolder();
afterAll(folder.remove);
const megabyte = 1024 * 1024;

type Fields = { readonly time: string; readonly event_name: string; readonly query_text: string };

function listRecords(count: number, textLength: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({
    time: String(i),
    event_name: 'é, "quoted"',
    query_text: `a\r\n},{"b":[${"x".repeat(textLength)}`,
  }));
}

const forms: Readonly<Record<string, (records: readonly Fields[]) => string>> = {
  array: (records) => JSON.stringify(records),
  pretty: (records) => `\ufeff${JSON.stringify(records, null, 2).replaceAll("\n", "\r\n")}\r\n`,
  envelope: (records) => `{"count":1,"tags":["a"],"audits":${JSON.stringify(records)},"next":null}`,
  "pretty envelope": (records) => JSON.stringify({ data: { items: records }, next: {} }, null, 1),
  lines: (records) => records.map((r) => `${JSON.stringify(r)}\n`).join(""),
  "lines, CRLF": (records) => `\ufeff${records.map((r) => JSON.stringify(r)).join("\r\n\r\n")}`,
  csv: (records) => stringify([...records], { header: true, bom: true, record_delimiter: "\r\n" }),
};

const packings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  plain: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  "gzip, two members": (bytes) =>
    Buffer.concat([gzipSync(bytes.subarray(0, 50)), gzipSync(bytes.subarray(50))]),
  "gzip, padded": (bytes) => Buffer.concat([gzipSync(bytes), Buffer.alloc(3 * megabyte)]),
  zstd: (bytes) => zstdCompressSync(bytes),
  "zstd, many frames": (bytes) =>
    Buffer.concat([
      Buffer.from("502a4d1803000000616263", "hex"),
      ...Array.from({ length: 10 }, (_, i) =>
        zstdCompressSync(bytes.subarray(i * 40, i === 9 ? bytes.length : (i + 1) * 40)),
      ),
    ]),
};

type Read = { readonly records: unknown[]; readonly pages: number; readonly longest: number };

async function read(content: Buffer | string, recordsAt: string | null = null): Promise<Read> {
  const path = join(folder.path, "file");
  writeFileSync(path, content);
  const records: unknown[] = [];
  let pages = 0;
  let longest = 0;
  for await (const { bytes, format } of readFilePages(
    path,
    watchBytes(() => undefined),
    { recordsAt },
  )) {
    const take = (start: number, end: number): void =>
      void records.push(JSON.parse(bytes.toString("utf8", start, end)));
    if (format === "json") readJson(bytes, null, take);
    else forEachLine(bytes, take);
    pages++;
    longest = Math.max(longest, bytes.length);
  }
  return { records, pages, longest };
}

async function refusal(content: Buffer | string): Promise<string> {
  const error: unknown = await read(content).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(PageError);
  return (error as Error).message;
}

describe.each(Object.keys(forms))("a file (%s)", (form) => {
  const few = listRecords(3, 2);

  it.each(Object.keys(packings))("is read completely (%s)", async (packing) => {
    const content = packings[packing]!(Buffer.from(forms[form]!(few)));
    expect((await read(content)).records).toEqual(few);
    expect(
      (await read(packings[packing]!(Buffer.from(forms[form]!(few.slice(0, 1)))))).records,
    ).toEqual(few.slice(0, 1));
  });

  it("is cut into pages if it is long", async () => {
    const many = listRecords(1800, 7000);
    const { records, pages, longest } = await read(forms[form]!(many));
    expect(records).toEqual(many);
    expect(pages).toBeGreaterThan(1);
    expect(longest).toBeLessThan(12 * megabyte);
  });

  it.each(["plain", "gzip", "zstd"])("that is truncated is refused (%s)", async (packing) => {
    const whole = packings[packing]!(Buffer.from(forms[form]!(listRecords(20, 30)).trimEnd()));
    const ends = Array.from({ length: 12 }, (_, i) => Math.floor((whole.length * i) / 12));
    for (const end of ends) {
      const cut = whole.subarray(0, end);
      // A line that is cut is a record for the quarantine; the last cell of a row may end anywhere.
      const isLoose = packing === "plain" && /lines|csv/.test(form) && end > 0;
      if (!isLoose) expect(await refusal(cut), `cut at ${end}`).not.toContain("quoted");
      else await read(cut).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
    }
  });
});

describe("a file", () => {
  it.each(["[]", '{"audits":[]}', "time,event_name\n", "[ ]\n\n"])(
    "may be empty: %j",
    async (text) => {
      expect((await read(text)).records).toEqual([]);
    },
  );

  it.each([
    ["", "empty"],
    [" \n", "empty"],
    ["<html>", "HTML"],
    ["hello", "column time"],
    ['{"audits":{}}', "no array"],
    ['{"success":false,"code":503,"details":[]}', "reports an error"],
    ['[{"time":1}] x', 'line 1, column 14: unexpected "x"'],
    ['[{"time":1},{"time":2},\n]', "line 2, column 1: a comma before ]; remove it"],
    ['{"audits":[{"time":1}],\n "a": [1,\n 2 , ]}', "line 3, column 6: a comma before ]"],
    ['{"time":1,"event_name":"a"},\n{"time":2,"event_name":"a"},\n', "line 1, column 28"],
    ['{\n "time": 1,\n "event_name": "a",\n}\n', "line 4, column 1: a comma before }"],
    ['{"audits":[{"time":1}],"others":[{"time":1}]}', "several arrays"],
    ['[{"time":1},,{"time":2}]', "line 1, column 13"],
    ['[{"time":1} {"time":2}]', "line 1, column 13"],
    ['time,a\n1,"x', "truncated"],
    ["time,a\n1,2\n3", "truncated"],
    [Buffer.from("1f8b0800", "hex"), "truncated"],
    [Buffer.concat([gzipSync("[]"), Buffer.from("tail")]), "cannot be read"],
    [Buffer.concat([gzipSync("[]"), Buffer.alloc(9), Buffer.from("tail")]), "continues after"],
    [Buffer.concat([zstdCompressSync("[]"), Buffer.from("tail")]), "cannot be read"],
    [Buffer.concat([zstdCompressSync("[]").subarray(0, 4), Buffer.from("tail")]), "truncated"],
  ])("is refused for its content: %j", async (content, reason) => {
    expect(await refusal(content)).toContain(reason);
  });

  it.each([1, 512, megabyte - 100, 5 * megabyte])(
    "is refused if gzip continues after %i zero bytes",
    async (gap) => {
      const members = [0, 100].map((first) =>
        gzipSync(forms["lines"]!(listRecords(200, 30).slice(first, first + 100))),
      );
      const [one, other] = members as [Buffer, Buffer];
      expect((await read(Buffer.concat([one, other, Buffer.alloc(gap)]))).records.length).toBe(200);
      const parted = Buffer.concat([one, Buffer.alloc(gap), other]);
      expect(await refusal(parted)).toContain("continues after zero bytes");
    },
  );

  it("is refused if it is a folder or missing", async () => {
    const drain = async (path: string): Promise<void> => {
      for await (const _ of readFilePages(
        path,
        watchBytes(() => undefined),
      ))
        expect.unreachable();
    };
    await expect(drain(folder.path)).rejects.toThrow(/cannot be read: it is a folder/);
    await expect(drain(join(folder.path, "nowhere"))).rejects.toThrow(
      /cannot be read: there is no such file/,
    );
  });

  it("has its records where the configuration says", async () => {
    const body = '{"links":[{"a":1}],"data":{"items":[{"time":1}]}}';
    expect((await read(body, "data.items")).records).toEqual([{ time: 1 }]);
    expect((await read('[{"time":2}]', "data.items")).records).toEqual([{ time: 2 }]);
    expect((await read('{"data":{"items":null}}', "data.items")).records).toEqual([]);
  });

  it("reports how far it has been read", async () => {
    const path = join(folder.path, "progress");
    const content = gzipSync(forms["lines"]!(listRecords(2000, 1000)), { level: 0 });
    writeFileSync(path, content);
    const seen: number[] = [];
    for await (const _ of readFilePages(
      path,
      watchBytes((bytes) => seen.push(bytes)),
    ))
      continue;
    expect(seen.at(-1)).toBe(content.length);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});
