import { setTimeout as wait } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { openPage, type OpenedPage } from "../../../../pipeline/core/source/open-page.ts";
import { configSchema } from "../../../../schemas/config.ts";
import type { ClientOptions } from "../../../../pipeline/core/source/client.ts";
import {
  answer,
  failure,
  key,
  page,
  raw,
  rawService,
  newReader,
  record,
  unframed,
  type RawService,
  type Reader,
  type Script,
} from "../../core/source/raw-service.ts";

// Answers that are late, cut off, too long, packed or no HTTP: read whole, or refused after some attempts.

let service: RawService | undefined;
let reader: Reader;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  service = undefined;
});

const { audits } = configSchema.parse({ sources: { a: {} } }).sources["a"]!;

async function read(options: Partial<ClientOptions>, ...scripts: Script[]): Promise<OpenedPage> {
  service = await rawService(...scripts);
  reader = newReader(service.url, options);
  return reader.client.get("/v4/audits", {}, (found) => openPage(found, audits));
}

const attempts = (): number => service!.heads.length;
const good = answer(page);
const drip =
  (body: string | Buffer, headers: string): Script =>
  async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}\r\n`);
    for (const byte of Buffer.from(body)) {
      if (socket.destroyed) return;
      socket.write(Buffer.from([byte]));
      await wait(20);
    }
  };

describe("an answer that never arrives", () => {
  it("is requested again if nothing listens", async () => {
    reader = newReader("http://127.0.0.1:1");
    const error = await failure(reader.client.get("/v4/audits", {}, () => 0));
    expect(error.message).toMatch(/failed after 3 attempts: the connection was refused/);
    expect(reader.client.counts).toEqual({ requests: 3, retries: 2 });
  });

  it("is given up if the name does not resolve", async () => {
    reader = newReader("https://no-such-host.invalid", { maxAttempts: 1 });
    const error = await failure(reader.client.get("/v4/audits", {}, () => 0));
    expect(error.message).toMatch(/failed after 1 attempt: the host name does not resolve/);
  });

  it("is requested again if the headers never arrive", async () => {
    expect((await read({ timeoutMs: 80 }, () => undefined, good)).records).toBe(1);
    expect(attempts()).toBe(2);
  });

  it("is given up if the headers never arrive at all", async () => {
    const error = await failure(read({ timeoutMs: 60 }, () => undefined));
    expect(error.message).toContain("failed after 3 attempts: no complete response within 0.06 s");
  });

  it("is ended by the total time limit, even if it drips steadily", async () => {
    const error = await failure(
      read({ timeoutMs: 150, maxAttempts: 2 }, drip(page, `Content-Length: ${page.length}\r\n`)),
    );
    expect(error.message).toContain("no complete response within 0.15 s");
  });

  it("is requested again if the connection breaks", async () => {
    const reset: Script = (socket) => void socket.resetAndDestroy();
    const silent: Script = (socket) => void socket.end();
    expect((await read({}, reset, silent, good)).records).toBe(1);
    expect(attempts()).toBe(3);
  });
});

describe("an incomplete body", () => {
  const half = page.slice(0, 30);
  const cases: Readonly<Record<string, Script>> = {
    "shorter than its Content-Length": raw(200, { "Content-Length": "500" }, page, true),
    "longer than its Content-Length": raw(200, { "Content-Length": String(half.length) }, page),
    "in chunks without the last": raw(
      200,
      { "Transfer-Encoding": "chunked" },
      `${page.length.toString(16)}\r\n${page}\r\n`,
      true,
    ),
    "in a chunk that is cut off": raw(
      200,
      { "Transfer-Encoding": "chunked" },
      `ff\r\n${page}`,
      true,
    ),
    "cut off where the connection ends": unframed(half),
    "truncated gzip": answer(gzipSync(page).subarray(0, -12), { "Content-Encoding": "gzip" }),
    "truncated gzip up to the end of the connection": unframed(gzipSync(page).subarray(0, -12), {
      "Content-Encoding": "gzip",
    }),
    "gzip with a wrong check sum": answer(
      Buffer.concat([gzipSync(page).subarray(0, -8), Buffer.alloc(8)]),
      { "Content-Encoding": "gzip" },
    ),
    "gzip that continues after zero bytes": answer(
      Buffer.concat([gzipSync(`${record}\n`), Buffer.alloc(512), gzipSync(`${record}\n`)]),
      { "Content-Encoding": "gzip", "Content-Type": "application/x-ndjson" },
    ),
    "called gzip and is none": answer(page, { "Content-Encoding": "gzip" }),
    empty: answer(""),
    "empty and without a length": unframed("", { "Content-Type": "application/x-ndjson" }),
    "empty and of no type": answer("", { "Content-Type": "" }),
    blank: answer(" \n ".repeat(50)),
    "an HTML page": answer("<!doctype html><p>CANARY-content</p>", { "Content-Type": "text/html" }),
    "HTML by its type": answer(page, { "Content-Type": "Text/HTML; charset=utf-8" }),
    "HTML without a type": answer("  <html>CANARY-content</html>", { "Content-Type": "" }),
    "plain text": answer("CANARY-content: try again later", { "Content-Type": "text/plain" }),
    "a message": answer('{"message":"CANARY-content"}'),
    "a fault with an empty array in it": answer(
      '{"success":false,"message":"CANARY-content","code":503,"details":[]}',
    ),
    "an error with an empty list": answer('{"error":"CANARY-content","audits":[]}'),
    "cut off in the last line": answer(`${record}\n${record.slice(0, 9)}`),
    "lines without a length": unframed(`${record}\n`),
    "lines without a length, with an encoding that is none": unframed(`${record}\n`, {
      "Content-Type": "application/x-ndjson",
      "Content-Encoding": "Identity",
    }),
    "lines without a length, with an empty encoding": unframed(`${record}\n`, {
      "Content-Type": "application/x-ndjson",
      "Content-Encoding": "",
    }),
    "gzip lines without a length, cut between two members": unframed(gzipSync(`${record}\n`), {
      "Content-Type": "application/x-ndjson",
      "Content-Encoding": "gzip",
    }),
    "CSV without a length": unframed("time,event_name\n1,a\n"),
    "not UTF-8 around the records": answer(
      Buffer.from('{"audits":[],"next":"caf\u00e9"}', "latin1"),
    ),
    "two bodies": answer(page + page),
    "invalid between its records": answer(`[${record},,${record}]`),
  };

  it.each(Object.keys(cases))("is requested again: %s", async (name) => {
    expect((await read({}, cases[name]!, good)).records).toBe(1);
    expect(attempts()).toBe(2);
    expect(reader.client.counts).toEqual({ requests: 2, retries: 1 });
  });

  it.each(Object.keys(cases))("is refused in the end: %s", async (name) => {
    const error = await failure(read({}, cases[name]!));
    expect(error.message).toMatch(
      /^GET http:\/\/127\.0\.0\.1:\d+\/v4\/audits failed after 3 attempts: /,
    );
    expect(attempts()).toBe(3);
  });
});

describe("a permanent fault of an answer", () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000, 32));
  const cases: Readonly<Record<string, readonly [Script, RegExp]>> = {
    "a page that is too long": [
      answer(Buffer.alloc(200_000, 32)),
      /longer than 100000 bytes; lower/,
    ],
    "a page without end": [
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
        const more = (): void => void (socket.destroyed || socket.write(chunk, more));
        more();
      },
      /longer than 100000 bytes/,
    ],
    "a gzip bomb": [answer(bomb, { "Content-Encoding": "gzip" }), /longer than 100000 bytes/],
    "gzip in gzip": [
      answer(gzipSync(bomb), { "Content-Encoding": "gzip, gzip" }),
      /content-encoding of an unknown kind/,
    ],
    "an encoding of another kind": [
      answer(zstdCompressSync(page), { "Content-Encoding": "zstd" }),
      /content-encoding zstd.*expected identity or gzip/,
    ],
    "an encoding that objects have": [
      answer(page, { "Content-Encoding": "constructor" }),
      /content-encoding of an unknown kind/,
    ],
    "headers that are too long": [
      answer(page, { "X-Long": "x".repeat(80_000) }),
      /response headers are too long/,
    ],
  };

  it.each(Object.keys(cases))("is refused at once: %s", async (name) => {
    const [script, message] = cases[name]!;
    const error = await failure(read({}, script));
    expect(error.message).toMatch(message);
    expect(attempts()).toBe(1);
    expect(reader.sleeps).toEqual([]);
  });
});

describe("an answer that is not HTTP", () => {
  it.each([
    ["two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]`],
    [
      "a length and chunks",
      `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n[]`,
    ],
    ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n\r\n"],
    ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[]"],
  ])("is refused: %s", async (_what, text) => {
    const error = await failure(read({}, (socket) => void socket.end(text)));
    expect(error.message).toContain("failed after 3 attempts");
  });
});

describe("a complete answer", () => {
  it.each([
    ["with a length", good, 1],
    [
      "in chunks",
      raw(
        200,
        { "Transfer-Encoding": "chunked" },
        `${page.length.toString(16)}\r\n${page}\r\n0\r\n\r\n`,
      ),
      1,
    ],
    ["up to the end of the connection, where it is one JSON body", unframed(page), 1],
    [
      "packed, with padding",
      answer(Buffer.concat([gzipSync(page), Buffer.alloc(512)]), { "Content-Encoding": "gzip" }),
      1,
    ],
    ["packed though not asked for", answer(gzipSync(page), { "Content-Encoding": "x-gzip" }), 1],
    [
      "packed, up to the end of the connection, where it is one JSON body",
      unframed(gzipSync(page), { "Content-Encoding": "gzip" }),
      1,
    ],
    ["with long headers", answer(page, { "X-Long": "x".repeat(20_000) }), 1],
    ["with a byte order mark", answer(`\ufeff${page}`), 1],
    ["of no lines", answer("", { "Content-Type": "application/x-ndjson" }), 0],
    ["of a header alone", answer("time,event_name\r\n", { "Content-Type": "text/csv" }), 0],
    ["of lines without a type", answer(`${record}\n${record}`, { "Content-Type": "" }), 2],
  ] as [string, Script, number][])("is read %s", async (_how, script, records) => {
    expect((await read({}, script)).records).toBe(records);
    expect(attempts()).toBe(1);
  });

  it("keeps a record that is not UTF-8, and the digits of its numbers", async () => {
    const body = Buffer.from(`[{"time":1,"id":12345678901234567890,"a":"caf\u00e9"}]`, "latin1");
    expect((await read({}, answer(body))).bytes.equals(body)).toBe(true);
  });

  it("does not use a proxy of the environment", async () => {
    process.env["HTTP_PROXY"] = process.env["http_proxy"] = "http://127.0.0.1:1";
    try {
      expect((await read({}, good)).records).toBe(1);
    } finally {
      delete process.env["HTTP_PROXY"];
      delete process.env["http_proxy"];
    }
  });

  it("is requested with the key, unchanged and decompressed", async () => {
    await read({}, good);
    expect(service!.heads[0]).toMatch(/^GET \/v4\/audits HTTP\/1\.1\r\n/);
    expect(service!.heads[0]).toContain(`authorization: SVC1 ${key}`);
    expect(service!.heads[0]).toContain("accept-encoding: identity");
  });
});

it("a complete page whose records are elsewhere is not requested again", async () => {
  service = await rawService(good);
  reader = newReader(service.url);
  const elsewhere = { ...audits, records_at: "data" };
  const error = await failure(
    reader.client.get("/v4/audits", {}, (found) => openPage(found, elsewhere)),
  );
  expect(error.message).toMatch(/no data, but an array of objects at "audits"/);
  expect(attempts()).toBe(1);
});
