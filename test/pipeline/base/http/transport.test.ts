import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  startDestination,
  type Destination,
  type Fault,
  type Reply,
} from "../../../../fixtures/destinations/destination.ts";
import {
  checkInterrupted,
  newTransport,
  formatOutcome,
  type Repeat,
  type Transport,
  type TransportOptions,
} from "../../../../pipeline/base/http/transport.ts";
import type { Exchange, HttpRequest } from "../../../../pipeline/base/http/exchange.ts";
import { testWorld } from "../../../support/world.ts";

let destination: Destination;
let acted: number;
let reply: Reply;
let sleeps: number[];
let transport: Transport | undefined;

beforeEach(async () => {
  acted = 0;
  sleeps = [];
  reply = { status: 200, body: "done" };
  destination = await startDestination(() => {
    acted += 1;
    return reply;
  });
});
afterEach(async () => {
  await transport?.[Symbol.asyncDispose]();
  await destination[Symbol.asyncDispose]();
});

const usual: TransportOptions = { timeoutMs: 300, maxAttempts: 4, maxAnswerBytes: 1000 };

function send(
  repeat: Repeat,
  more: Partial<HttpRequest> = {},
  options: Partial<TransportOptions> = {},
  signal = new AbortController().signal,
): Promise<Exchange> {
  const sleep = async (ms: number): Promise<void> => void (await Promise.resolve(sleeps.push(ms)));
  transport = newTransport({ ...usual, ...options }, testWorld({ sleep, signal, random: () => 1 }));
  const url = new URL(destination.url);
  return transport.send({ method: "POST", url, body: "rows", ...more }, { repeat });
}

const always = (fault: Fault) => () => fault;
const first = (...faults: readonly Fault[]) => {
  let at = 0;
  return () => faults[at++];
};
const status = (code: number, headers: Record<string, string> = {}): Reply => ({
  status: code,
  headers,
});

describe("a request", () => {
  it("arrives with its method, headers and body, and returns its answer", async () => {
    reply = { status: 418, headers: { "x-a": "b" }, body: "é" };
    const headers = { authorization: "Bearer t" };
    const found = await send("harmful", { method: "PUT", headers });
    expect(destination.calls).toMatchObject([{ method: "PUT", headers, body: "rows" }]);
    expect(found).toMatchObject({ outcome: "answered", answer: { status: 418, text: "é" } });
    expect(formatOutcome(found)).toBe("answered 418");
    expect(transport!.counts).toEqual({ requests: 1, retries: 0 });
  });

  it.each([301, 307, 400, 401, 404, 409])("that is answered %i is not repeated", async (code) => {
    reply = status(code, { location: "https://else.example" });
    const found = await send("harmless");
    expect(found).toMatchObject({ outcome: "answered", answer: { status: code } });
    expect(acted).toBe(1);
  });
});

describe("a request that is safe to repeat", () => {
  it.each([408, 425, 429, 500, 503])("is repeated after %i", async (code) => {
    destination.fault(first(status(code), status(code)));
    expect(await send("harmless")).toMatchObject({ answer: { text: "done" } });
    expect(transport!.counts).toEqual({ requests: 3, retries: 2 });
    expect(sleeps).toEqual([1000, 2000]);
  });

  it.each(["reset", "lose", "hang"] as const)("is repeated after %s", async (fault) => {
    destination.fault(first(fault));
    expect(await send("harmless")).toMatchObject({ answer: { text: "done" } });
    expect(acted).toBe(fault === "lose" ? 2 : 1);
  });

  it("is given up after the last attempt with its failure", async () => {
    destination.fault(always(status(503)));
    expect(await send("harmless")).toMatchObject({ answer: { status: 503 } });
    expect(transport!.counts).toEqual({ requests: 4, retries: 3 });
  });

  it("is not repeated if the answer is final despite its status", async () => {
    reply = { status: 500, body: "a fault of yours" };
    const found = await send("harmless", { isFinal: ({ text }) => text.includes("yours") });
    expect(found).toMatchObject({ answer: { status: 500 } });
    expect(acted).toBe(1);
  });
});

describe("a request that may have had an effect, though a later try ended otherwise", () => {
  it.each([200, 400, 503])("is reported as such beside the answer %i", async (code) => {
    let tries = 0;
    destination.fault(() => ((tries += 1) === 1 ? "lose" : status(code)));
    const found = await send("harmless");
    expect(found).toMatchObject({ answer: { status: code }, mayHaveActed: true });
  });

  it("is lost if the last try was never sent", async () => {
    const loses = await startDestination(() => reply);
    let ended: PromiseLike<void> | undefined;
    loses.fault(() => {
      ended = loses[Symbol.asyncDispose]();
      return "lose";
    });
    const found = await send("harmless", { url: new URL(loses.url) });
    await ended;
    expect(found).toMatchObject({ outcome: "lost", mayHaveActed: true });
    expect(formatOutcome(found)).toContain("ECONNREFUSED");
  });

  it("is reported as such for an inconclusive answer, unless it only reads", async () => {
    const leavesOpen = ({ status: found }: { status: number }) => found === 503;
    for (const [method, mayHaveActed] of [
      ["POST", true],
      ["GET", false],
    ] as const) {
      destination.fault(first(status(503)));
      const found = await send("harmless", { method, leavesOpen });
      expect(found).toMatchObject({ answer: { status: 200 }, mayHaveActed });
    }
    destination.fault(first(status(500)));
    expect(await send("harmless", { leavesOpen })).toMatchObject({ mayHaveActed: false });
  });

  it("is not assumed if it was rejected each time, or only reads", async () => {
    destination.fault(first(status(503), "lose"));
    expect(await send("harmless", { method: "GET" })).toMatchObject({ mayHaveActed: false });
    destination.fault(first(status(503), status(429)));
    expect(await send("harmless")).toMatchObject({ mayHaveActed: false });
  });

  it("is lost if the wait for the next try is interrupted", async () => {
    const stop = new AbortController();
    destination.fault(() => {
      stop.abort();
      return "lose";
    });
    const found = await send("harmless", {}, {}, stop.signal);
    expect(found).toMatchObject({ outcome: "lost", why: "interrupted", mayHaveActed: true });
  });
});

describe("a request that is unsafe to repeat", () => {
  it.each([
    ["reset", undefined],
    ["lose", undefined],
    ["hang", undefined],
  ] as const)("is never repeated after %s: its outcome is unknown", async (fault, code) => {
    destination.fault(always(fault));
    const found = await send("harmful");
    expect(found).toMatchObject({ outcome: "lost", status: code });
    expect(destination.calls).toHaveLength(1);
    expect(formatOutcome(found)).toMatch(/the connection|no complete response within 0.3 s/);
  });

  it.each([500, 502, 503, 408])("is never repeated after %i", async (code) => {
    destination.fault(always(status(code)));
    expect(await send("harmful")).toMatchObject({ answer: { status: code } });
    expect(destination.calls).toHaveLength(1);
  });

  it("is repeated after 429, which means that it was rejected", async () => {
    destination.fault(first(status(429, { "retry-after": "12" })));
    expect(await send("harmful")).toMatchObject({ answer: { text: "done" } });
    expect(acted).toBe(1);
    expect(sleeps).toEqual([12_000]);
  });

  it("is repeated if it was never sent", async () => {
    const url = new URL("http://127.0.0.1:9");
    const found = await send("harmful", { url });
    expect(found).toMatchObject({
      outcome: "unsent",
      why: "the connection was refused (ECONNREFUSED)",
      isFinal: false,
      mayHaveActed: false,
      tries: 4,
    });
    expect(transport!.counts).toEqual({ requests: 4, retries: 3 });
  });

  it("is sent once without retries, even if it was never sent or was rejected", async () => {
    await send("never", { url: new URL("http://127.0.0.1:9") });
    expect(transport!.counts).toEqual({ requests: 1, retries: 0 });
    await transport![Symbol.asyncDispose]();
    destination.fault(always(status(429)));
    expect(await send("never")).toMatchObject({ answer: { status: 429 }, tries: 1 });
    expect(destination.calls).toHaveLength(1);
  });

  it("reports the status if only the body was lost", async () => {
    reply = { status: 200, headers: { "content-length": "500" }, body: "half" };
    const found = await send("harmful");
    expect(found).toMatchObject({ outcome: "lost", status: 200 });
    expect(acted).toBe(1);
  });

  it("uses a separate connection each time", async () => {
    const ports = new Set<string>();
    destination.fault(({ headers }) => void ports.add(String(headers["connection"])));
    await send("harmful");
    expect([...ports]).toEqual(["close"]);
  });
});

describe("an answer", () => {
  it("that is too long is not read to its end", async () => {
    reply = { status: 200, body: "x".repeat(2000) };
    const found = await send("harmless");
    expect(found).toMatchObject({ outcome: "lost", isFinal: true, status: 200 });
    expect(formatOutcome(found)).toContain("longer than 1000 bytes");
    expect(acted).toBe(1);
  });
});

describe("an interruption", () => {
  it("does not end a request, only the wait for the next", async () => {
    const stop = new AbortController();
    destination.fault(() => {
      stop.abort();
      return status(503);
    });
    const sent = send("harmless", {}, {}, stop.signal);
    await expect(sent).rejects.toMatchObject({ message: "interrupted", exitCode: 130 });
    expect(destination.calls).toHaveLength(1);
    expect(() => checkInterrupted(stop)).toThrow("interrupted");
  });
});

describe("the wait for a retry", () => {
  it("is refused if Retry-After exceeds a quarter of an hour", async () => {
    destination.fault(always(status(429, { "retry-after": "901" })));
    expect(await send("harmless")).toMatchObject({
      answer: { status: 429, retryAfterMs: 901_000 },
    });
    expect(sleeps).toEqual([]);
  });
});
