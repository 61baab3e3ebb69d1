import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import {
  newClient,
  type Client,
  type ClientOptions,
} from "../../../../pipeline/core/source/client.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import { testKey } from "../../../support/key.ts";
import { testWorld, type TestWorld } from "../../../support/world.ts";

// A service that answers byte by byte as a test says, over a bare socket.

export const key = testKey;
export const content = "CANARY-content";
export const record = `{"time":1,"event_name":"${content}"}`;
export const page = `{"audits":[${record}],"next_page":null}`;

/** What a request is answered with; `head` is the request's own head. */
export type Script = (socket: Socket, head: string) => void;

export type RawService = AsyncDisposable & {
  readonly url: string;
  /** Heads of the requests, in their order. */
  readonly heads: readonly string[];
};

/** A service that gives its scripts one by one, the last of them again and again. */
export async function rawService(...scripts: readonly Script[]): Promise<RawService> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        heads.push(head);
        scripts[Math.min(heads.length, scripts.length) - 1]!(socket, head);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${port}`, heads, [Symbol.asyncDispose]: close };
}

/** A whole answer with its length, JSON if not said otherwise. */
export function answer(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Script {
  const bytes = Buffer.from(body);
  return raw(status, { "Content-Length": String(bytes.length), ...headers }, bytes);
}

/** An answer with these headers alone, and JSON as its type if not said otherwise. */
export function raw(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = "",
  isEnd = false,
): Script {
  const lines = Object.entries({ "Content-Type": "application/json", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return (socket) => {
    socket.write(`HTTP/1.1 ${status} Some\r\n${head}\r\n`);
    socket.write(body);
    if (isEnd) socket.end();
  };
}

/** An answer whose body ends where the connection does. */
export function unframed(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Script {
  return raw(200, { Connection: "close", ...headers }, body, true);
}

export type Reader = AsyncDisposable & {
  readonly client: Client;
  readonly world: TestWorld;
  /** The waits between attempts, milliseconds. */
  readonly sleeps: readonly number[];
};

/** A client of a service with small limits, whose waits do not wait. */
export function newReader(
  url: string,
  options: Partial<ClientOptions> = {},
  overrides: Partial<World> = {},
): Reader {
  const sleeps: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    sleeps.push(ms);
    return Promise.resolve();
  };
  const world = testWorld({ sleep, ...overrides });
  const common = { baseUrl: url, authScheme: "SVC1", key, timeoutMs: 400 };
  const limits = { maxPageBytes: 100_000, maxAttempts: 3 };
  const client = newClient({ ...common, ...limits, ...options }, world);
  return { client, world, sleeps, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** What a promise is rejected with, checked for what no message may hold. */
export async function failure(promise: Promise<unknown>): Promise<AuditlakeError> {
  const error: unknown = await promise.then(
    () => new Error("it was accepted"),
    (e: unknown) => e,
  );
  assert.ok(error instanceof AuditlakeError, `${String(error)} is no error of ours`);
  for (const secret of [key, content, Buffer.from(key).toString("base64")])
    assert.ok(!error.message.includes(secret), "the message holds a secret");
  assert.doesNotMatch(error.message, /[\u0000-\u001f\u007f-\u009f]/);
  return error;
}
