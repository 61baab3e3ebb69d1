import { Agent } from "undici";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  startDestination,
  type Destination,
  type Reply,
} from "../../../../../fixtures/destinations/destination.ts";
import {
  sendRequest,
  type Exchange,
  type ExchangeOptions,
  type HttpRequest,
  type Reading,
} from "../../../../../pipeline/base/http/exchange.ts";
import { PassingFault } from "../../../../../pipeline/base/http/faults.ts";
import { raw, rawService } from "../../../core/source/raw-service.ts";

// What one exchange says of an answer, and where it leads.

let destination: Destination;
let agent: Agent;
let reply: Reply;
beforeAll(async () => {
  destination = await startDestination(() => reply);
  agent = new Agent();
});
beforeEach(() => {
  reply = { status: 200, body: "done" };
});
afterAll(async () => {
  await agent.destroy();
  await destination[Symbol.asyncDispose]();
});

const nowMs = Date.UTC(2026, 2, 1);

function ask(
  more: Partial<HttpRequest> = {},
  options: Partial<ExchangeOptions> = {},
): Promise<Exchange> {
  const sent = { method: "POST", url: new URL(destination.url), body: "rows", ...more } as const;
  return sendRequest(sent, agent, { timeoutMs: 10_000, maxAnswerBytes: 1000, nowMs, ...options });
}

it.each([
  ["Sat, 01 Jan 2000 00:00:00 GMT", Date.UTC(2000, 0, 1)],
  ["Fri, 31 Dec 1999 23:59:59 GMT", undefined],
  ["9999-12-31T23:59:59.999Z", Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ["+010000-01-01T00:00:00Z", undefined],
  ["soon", undefined],
])("a service whose clock shows %s has the time %d", async (date, serverTimeMs) => {
  const inAnHour = new Date((serverTimeMs ?? nowMs) + 3_600_000).toUTCString();
  reply = { status: 200, headers: { date, "retry-after": inAnHour } };
  // Without a time of the service, a date counts from the clock here.
  const retryAfterMs = inAnHour.includes("10000") ? expect.any(Number) : 3_600_000;
  expect(await ask()).toMatchObject({ answer: { serverTimeMs, retryAfterMs } });
});

it("an answer is requested with one user agent, and with its own headers", async () => {
  await ask({ headers: () => ({ "x-try": "1" }) });
  await ask({ headers: { "x-try": "2" } });
  expect(destination.calls.slice(-2).map(({ headers }) => headers)).toMatchObject([
    { "x-try": "1", "user-agent": "auditlake", "accept-encoding": "identity" },
    { "x-try": "2", "user-agent": "auditlake", "accept-encoding": "identity" },
  ]);
});

it.each([
  [undefined, "check the address of the target"],
  ["lower the page size", "lower the page size"],
])("an answer that is too long is refused, with the advice %j: %s", async (longAnswer, said) => {
  const options = longAnswer === undefined ? {} : { longAnswer };
  reply = { status: 200, body: "x".repeat(1001) };
  expect(await ask({}, options)).toMatchObject({
    outcome: "lost",
    status: 200,
    isFinal: true,
    why: expect.stringContaining(`longer than 1000 bytes; ${said}`),
  });
  reply = { status: 200, body: "x".repeat(1000) };
  expect(await ask({}, options)).toMatchObject({ outcome: "answered" });
});

it("an answer is retried if its decoding meets a temporary failure", async () => {
  const fault = new PassingFault("half a page");
  const open = (thrown: Error) => ({
    open: () => {
      throw thrown;
    },
  });
  expect(await ask(open(fault))).toEqual({
    outcome: "lost",
    status: 200,
    why: "half a page",
    isFinal: false,
    fault,
  });
  await expect(ask(open(new Error("ours")))).rejects.toThrow("ours");
});

it("an answer reports whether its end is shown, by a length or by chunks", async () => {
  const bodies: [headers: Record<string, string>, body: string][] = [
    [{ "Content-Length": "1" }, "x"],
    [{ "Transfer-Encoding": "chunked" }, "1\r\nx\r\n0\r\n\r\n"],
    [{ "Transfer-Encoding": "Chunked" }, "1\r\nx\r\n0\r\n\r\n"],
    [{ Connection: "close" }, "x"],
  ];
  const scripts = bodies.map(([headers, body]) => raw(200, headers, body, true));
  await using service = await rawService(...scripts);
  const found = [];
  for (const _ of bodies) found.push(await ask({ url: new URL(service.url) }));
  expect(found).toMatchObject(
    [true, true, true, false].map((isFramed) => ({ answer: { isFramed, text: "x" } })),
  );
});

it.each([
  [299, false],
  [300, true],
  [399, true],
  [400, false],
])("an answer with the status %d is a redirect: %s", async (status, leads) => {
  reply = { status, headers: { location: "/there" } };
  const asked: unknown[] = [];
  const follow = (from: URL, location: string, hops: number): URL => {
    asked.push([from.pathname, location, hops]);
    if (hops === 2) reply = { status: 200 };
    return new URL(location, from);
  };
  const found = await ask({ follow });
  const hops = [
    ["/", "/there", 1],
    ["/there", "/there", 2],
  ];
  expect(asked).toEqual(leads ? hops : []);
  expect(found).toMatchObject({
    answer: { status: leads ? 200 : status, url: `${destination.url}${leads ? "/there" : "/"}` },
  });
});

it.each<[reading: Reading, encoding: string | undefined, text: string]>([
  ["whole", "identity", "some"],
  ["beginning", "identity", "some"],
  ["beginning", undefined, "some"],
  ["beginning", "gzip", ""],
  ["nothing", "identity", ""],
])(
  "of a body of which the %s is requested, in %s, %j is returned",
  async (reading, encoding, text) => {
    const headers = encoding === undefined ? {} : { "content-encoding": encoding };
    reply = { status: 200, headers, body: "some" };
    expect(await ask({ chooseReading: () => reading })).toMatchObject({ answer: { text } });
  },
);

it.each([
  ["that leads elsewhere", 302, {}],
  ["that is not read", 200, { chooseReading: () => "nothing" }],
] as const)(
  "the body of an answer %s is discarded, as it may never end",
  async (_, status, more) => {
    let isClosed = false;
    await using service = await rawService(
      (socket) => {
        socket.once("close", () => (isClosed = true));
        raw(status, { Location: "/b", "Transfer-Encoding": "chunked" })(socket, "");
      },
      raw(200, { "Content-Length": "1" }, "x"),
    );
    const follow = (from: URL, location: string): URL => new URL(location, from);
    expect(await ask({ url: new URL(service.url), follow, ...more })).toMatchObject({
      answer: { text: status === 302 ? "x" : "" },
    });
    await expect.poll(() => isClosed).toBe(true);
  },
);
