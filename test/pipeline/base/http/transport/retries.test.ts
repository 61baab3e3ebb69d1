import { afterEach, describe, expect, it } from "vitest";
import { exitCode } from "../../../../../pipeline/base/errors.ts";
import type { HttpAnswer } from "../../../../../pipeline/base/http/exchange.ts";
import type { ClientOptions } from "../../../../../pipeline/core/source/client.ts";
import type { World } from "../../../../../pipeline/base/world.ts";
import {
  answer,
  content,
  failure,
  key,
  page,
  raw,
  rawService,
  newReader,
  type RawService,
  type Reader,
  type Script,
} from "../../../core/source/raw-service.ts";

// Which answers are asked for again, how often and after how long.

let service: RawService;
let reader: Reader;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function get(
  scripts: readonly Script[],
  options: Partial<ClientOptions> = {},
  world: Partial<World> = {},
): Promise<HttpAnswer> {
  service = await rawService(...scripts);
  reader = newReader(service.url, options, world);
  return reader.client.get("/v4/audits", {}, (found) => found);
}

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  answer(`{"error":"${mayBeShown(code) ? "no such range" : content} ${key}"}`, headers, code);
// What a service says with a refusal is shown; beside anything else there may be records.
const mayBeShown = (code: number): boolean => code >= 400 && code < 500;
const good = answer(page);
const attempts = (): number => service.heads.length;

describe("a temporary failure", () => {
  it.each([408, 425, 429, 500, 501, 502, 503, 504, 520, 599])(
    "is requested again: %i",
    async (code) => {
      expect((await get([status(code), good])).body.toString()).toBe(page);
      expect([attempts(), reader.client.counts]).toEqual([2, { requests: 2, retries: 1 }]);
    },
  );

  it("is given up after as many attempts as configured", async () => {
    const error = await failure(get([status(503)], { maxAttempts: 5 }));
    expect([attempts(), error.exitCode]).toEqual([5, exitCode.failed]);
    expect(error.message).toContain(
      "failed after 5 attempts: the service answered 503 to GET /v4/audits",
    );
  });

  it("is awaited with full jitter, ever longer up to half a minute", async () => {
    await failure(get([status(500)], { maxAttempts: 12 }, { random: () => 0.999_999 }));
    const rounded = reader.sleeps.map((ms) => Math.round(ms));
    expect(rounded).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30].map((s) => s * 1000));
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await failure(get([status(500)], { maxAttempts: 4 }, { random: () => 0 }));
    expect(reader.sleeps).toEqual([0, 0, 0]);
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 5, 1, 12);
  const date = (ms: number): string => new Date(ms).toUTCString();
  const world = { now: () => now, random: () => 0 };

  it.each([
    ["in seconds", { "Retry-After": "17" }, 17_000],
    ["as a date", { "Retry-After": date(now + 42_000) }, 42_000],
    [
      "as a date by the service's clock",
      { "Retry-After": date(now + 86_410_000), Date: date(now + 86_400_000) },
      10_000,
    ],
    ["as a date gone by", { "Retry-After": date(now - 5000) }, 0],
    ["as nonsense", { "Retry-After": "soon" }, 0],
    ["as a number that is none", { "Retry-After": "-1" }, 0],
    ["for the longest time", { "Retry-After": "900" }, 900_000],
  ])("is honoured %s", async (_how, headers, ms) => {
    for (const code of [429, 503]) {
      await get([status(code, headers), good], {}, world);
      expect([attempts(), reader.sleeps]).toEqual([2, [ms]]);
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    await get([good]);
  });

  it("is the minimum wait, not the maximum", async () => {
    await get([status(429, { "Retry-After": "1" }), good], {}, { ...world, random: () => 0.99999 });
    expect(Math.round(reader.sleeps[0]!)).toBe(1000);
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await get([status(429, { "Retry-After": "0" }), good], {}, { ...world, random: () => 0.99999 });
    expect(Math.round(reader.sleeps[0]!)).toBe(1000);
  });

  it("of more than a quarter of an hour ends the run", async () => {
    const error = await failure(get([status(429, { "Retry-After": "901" }), good], {}, world));
    expect([attempts(), reader.sleeps]).toEqual([1, []]);
    expect(error.message).toContain(
      "failed after 1 attempt: the service answered 429 to GET /v4/audits and asked to wait 901 s",
    );
  });

  it("adds up to no more than a quarter of an hour", async () => {
    const asks = status(503, { "Retry-After": "400" });
    await failure(get([asks], { maxAttempts: 20 }, world));
    expect([attempts(), reader.sleeps]).toEqual([3, [400_000, 400_000]]);
  });
});

describe("a refusal", () => {
  it.each([401, 403])("of the key ends the run at once: %i", async (code) => {
    const wait = code === 401 ? { "Retry-After": "1" } : { "X-RateLimit-Remaining": "1" };
    const error = await failure(get([status(code, wait), good]));
    expect([attempts(), error.exitCode]).toEqual([1, exitCode.refused]);
    expect(error.message).toContain("refused the key");
    expect(error.message).toMatch(/; it says: \{"error":"no such range \[secret\]"\}$/);
  });

  it.each([
    ["one\r\ntwo", "one"],
    ['{\n  "error": "late",\n  "hint": 1\n}\n', '{ "error": "late", "hint": 1 }'],
    ["a\u202eb\u001b[2Jc", String.raw`a\u202eb\u001b[2Jc`],
    [`${"é".repeat(300)}`, `${"é".repeat(199)}…`],
    [`${"x".repeat(190)}${key}`, `${"x".repeat(190)}[secret]`],
  ])("is shown by its first line, escaped and cut: %j", async (text, shown) => {
    const error = await failure(get([answer(text, {}, 400)], { sourceName: "prod" }));
    expect(error.message).toBe(
      `the service answered 400 to GET /v4/audits, expected 200; check base_url and sources.prod; it says: ${shown}`,
    );
  });

  it.each(["", " \n ", "<html><body>no</body></html>"])(
    "that is not readable text: %j",
    async (text) => {
      const error = await failure(get([answer(text, {}, 422)]));
      expect(error.message).not.toContain("it says");
    },
  );

  it("of the key counts even if its body is incomplete", async () => {
    const slow: Script = (socket) =>
      void socket.write("HTTP/1.1 401 No\r\nContent-Length: 10\r\n\r\nx");
    const error = await failure(get([slow, good], { timeoutMs: 60 }));
    expect([attempts(), error.exitCode]).toEqual([1, exitCode.refused]);
  });

  it.each([400, 404, 405, 410, 413, 422, 201, 204, 206, 304])(
    "is not requested again: %i",
    async (code) => {
      const script = code === 204 || code === 304 ? raw(code, {}) : status(code);
      const error = await failure(get([script, good]));
      expect([attempts(), error.exitCode]).toEqual([1, exitCode.failed]);
      expect(error.message).toContain(
        `answered ${code} to GET /v4/audits, expected 200; check base_url`,
      );
    },
  );
});

describe("redirects", () => {
  const to = (location: string, code = 302): Script =>
    raw(code, { Location: location, "Content-Length": "0" });

  it.each([300, 301, 302, 303, 307, 308, 399])(
    "inside the service are followed: %i",
    async (code) => {
      expect((await get([to("/v5/audits?x=1#y", code), good])).body.toString()).toBe(page);
      expect(service.heads[1]).toMatch(/^GET \/v5\/audits\?x=1 HTTP/);
      expect(service.heads[1]).toContain(key);
    },
  );

  it("may be relative, and have a body", async () => {
    await get([raw(302, { Location: "../v5/audits", "Content-Length": "5" }, "moved"), good]);
    expect(service.heads[1]).toMatch(/^GET \/v5\/audits HTTP/);
  });

  it("to another origin are refused, and get no request", async () => {
    await using other = await rawService(good);
    const places = [
      other.url,
      `${other.url}/v4/audits`,
      other.url.replace("127.0.0.1", "localhost"),
      other.url.replace("http:", ""),
      "https://127.0.0.1/",
      "file:///etc/passwd",
      "data:application/json,[]",
    ];
    for (const place of places) {
      const error = await failure(get([to(place), good]));
      expect([place, attempts()]).toEqual([place, 1]);
      expect(error.message).toContain("another origin");
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    expect(other.heads).toEqual([]);
    await get([good]);
  });

  it("drop a user name that the service puts in", async () => {
    service = await rawService((socket, head) => {
      const place = `http://evil:${content}@${/host: (\S+)/i.exec(head)![1]}/x`;
      (service.heads.length === 1 ? to(place) : good)(socket, head);
    });
    reader = newReader(service.url);
    await reader.client.get("/v4/audits", {}, () => 0);
    expect(service.heads[1]).toContain(`authorization: SVC1 ${key}`);
    expect(service.heads[1]).not.toContain("Basic");
  });

  it("to no address, or without end, are refused", async () => {
    expect((await failure(get([to("http://["), good]))).message).toContain("invalid address");
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    expect((await failure(get([to("/a")]))).message).toContain("more than 5 times");
    expect(attempts()).toBe(6);
  });

  it.each([201, 400])("are not recognized by an address beside the status %i", async (code) => {
    expect((await failure(get([to("/v5/audits", code), good]))).message).toContain(
      `answered ${code}`,
    );
    expect(attempts()).toBe(1);
  });

  it("without a location are refused", async () => {
    expect((await failure(get([raw(302, { "Content-Length": "0" })]))).message).toContain(
      "answered 302",
    );
  });
});

describe("an interrupt", () => {
  it("ends a request and a wait", async () => {
    const controller = new AbortController();
    const hanging = get(
      [() => controller.abort()],
      { timeoutMs: 5000 },
      { signal: controller.signal },
    );
    const error = await failure(hanging);
    expect([error.exitCode, attempts()]).toEqual([exitCode.interrupted, 1]);
    expect((await failure(reader.client.get("/v4/audits", {}, () => 0))).exitCode).toBe(
      exitCode.interrupted,
    );
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    const second = new AbortController();
    const sleep = (_ms: number, signal?: AbortSignal): Promise<void> => {
      second.abort();
      return Promise.reject(signal?.reason as Error);
    };
    const waiting = get([status(500)], {}, { signal: second.signal, sleep });
    expect([(await failure(waiting)).exitCode, attempts()]).toEqual([exitCode.interrupted, 1]);
  });
});

it("an error of our own is not taken for the network's", async () => {
  service = await rawService(good);
  reader = newReader(service.url);
  const broken = reader.client.get("/v4/audits", {}, () => {
    throw new TypeError("ours");
  });
  await expect(broken).rejects.toThrow(TypeError);
  expect(attempts()).toBe(1);
});
