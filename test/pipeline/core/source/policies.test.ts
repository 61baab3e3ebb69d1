import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { exitCode } from "../../../../pipeline/base/errors.ts";
import type { ClientOptions, PatchResult } from "../../../../pipeline/core/source/client.ts";
import {
  readPolicy,
  sendPolicy,
  type PolicyRead,
} from "../../../../pipeline/core/source/policies.ts";
import {
  answer,
  content,
  failure,
  key,
  raw,
  rawService,
  newReader,
  unframed,
  type RawService,
  type Reader,
  type Script,
} from "./raw-service.ts";

let service: RawService | undefined;
let reader: Reader;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  service = undefined;
});

const path = "/v3/access_control/policies/12/permissions";
const set = { Databases: [{ operation: "manage" }, { operation: "query", ids: "1,2" }] };

async function start(
  scripts: readonly Script[],
  options: Partial<ClientOptions> = {},
): Promise<void> {
  service = await rawService(...scripts);
  reader = newReader(service.url, options);
}

async function read(...scripts: Script[]): Promise<PolicyRead | undefined> {
  await start(scripts);
  return readPolicy(reader.client, "12");
}

async function send(
  scripts: readonly Script[],
  options: Partial<ClientOptions> = {},
): Promise<PatchResult> {
  await start(scripts, options);
  return sendPolicy(reader.client, "12", set);
}

/** Counts the PATCHes that the service saw: the heads only, since bodies differ in their length. */
const patches = (): number => service!.heads.filter((head) => head.includes("PATCH ")).length;

describe("reading a policy", () => {
  it("is a GET of the documented path with the key as SVC1", async () => {
    const body = JSON.stringify(set);
    expect(await read(answer(`\ufeff${body}`))).toEqual({ text: body, set });
    expect(service!.heads[0]).toMatch(new RegExp(`^GET ${path} HTTP`));
    expect(service!.heads[0]).toMatch(new RegExp(`^authorization: SVC1 ${key}\\r?$`, "im"));
    expect(service!.heads[0]).not.toMatch(/^content-type/im);
  });

  it("is retried if the answer is truncated or the service is busy", async () => {
    const body = JSON.stringify(set);
    const busy = answer("", {}, 503);
    expect((await read(busy, unframed(body.slice(0, 30)), answer(body)))?.set).toEqual(set);
    expect(service!.heads).toHaveLength(3);
  });

  it("finds nothing if the policy does not exist", async () => {
    expect(await read(answer('{"error":"x"}', {}, 404))).toBeUndefined();
    expect(service!.heads).toHaveLength(1);
  });

  it.each([401, 403])("ends at %i with the code for a refused key", async (status) => {
    const error = await failure(read(answer(`SVC1 ${key}`, {}, status)));
    expect(error.message).toMatch(
      `the service answered ${status} to GET ${path}: it refused the key`,
    );
    expect(error.exitCode).toBe(exitCode.refused);
    expect(service!.heads).toHaveLength(1);
  });

  it.each([
    `{"message":"${content}"}`,
    "[]",
    '{"Databases":{}}',
    '{"Databases":[{"ids":"1"}]}',
    `{"errors":[{"code":"${content}"}]}`,
    '{"data":[],"errors":[]}',
    '{"policies":[]}',
    '{"Jobs":[{"operation":"run"}]}',
  ])("refuses what is not a permission set: %s", async (text) => {
    const error = await failure(read(answer(text)));
    expect(error.message).toMatch(`GET ${path} is not a permission set; expected {"Databases":`);
    expect(error.message).not.toContain(content);
  });

  it.each([
    [`"success":false,"error":"${content}","Databases":[]`, "error, success"],
    [`"Databases":[],"errors":[{"code":"${content}"}]`, "errors"],
    ['"status":500,"Databases":[]', "status"],
    ['"meta":{"ok":false},"Databases":[]', "ok"],
    ['"Databases":[{"operation":"manage"}],"partial":true', "partial"],
    ['"Databases":[{"operation":"manage"}],"paging":{"hasMore":true}', "more to come"],
    ['"Databases":[{"operation":"manage"}],"next_page":2', "a next page"],
  ])("refuses a set that contradicts itself: %s", async (members, signs) => {
    const error = await failure(read(answer(`{${members}}`)));
    expect(error.message).toMatch(`GET ${path} has ${signs} beside the permission set, expected`);
    expect(error.message).not.toContain(content);
  });

  it("accepts content beside a set that contradicts nothing", async () => {
    const quiet = { status: 200, success: true, errors: [], next_page: null, has_more: false };
    expect((await read(answer(JSON.stringify({ ...quiet, ...set }))))?.set).toMatchObject(set);
  });
});

describe("sending a policy", () => {
  it("is a PATCH of the same path with the whole set as JSON", async () => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    await using server = await bodyService((request, body) => seen.push({ request, body }));
    reader = newReader(server.url);
    expect(await sendPolicy(reader.client, "12", set)).toEqual({ accepted: true });
    const [{ request, body } = expect.fail("no request")] = seen;
    expect([request.method, request.url]).toEqual(["PATCH", path]);
    expect(request.headers).toMatchObject({
      authorization: `SVC1 ${key}`,
      "content-type": "application/json",
    });
    expect(body).toBe('{"Databases":[{"operation":"manage"},{"operation":"query","ids":"1,2"}]}');
  });

  it.each([200, 201, 202])("is accepted at %i, with any body", async (status) => {
    expect(await send([answer("<html>", {}, status)])).toEqual({ accepted: true });
  });

  it("is accepted by the status, even if the body never ends or is huge", async () => {
    expect(await send([raw(200, { "Content-Length": "100" }, "{")], { timeoutMs: 100 })).toEqual({
      accepted: true,
    });
  });

  const disagreeing: Readonly<Record<string, readonly [Script, RegExp]>> = {
    "a broken connection": [(socket) => void socket.resetAndDestroy(), /connection/],
    "an end without an answer": [(socket) => void socket.end(), /connection/],
    silence: [() => undefined, /no complete response within 0\.1 s/],
    "no HTTP": [(socket) => void socket.end(`${key} ${content}\r\n\r\n`), /not HTTP/],
    "endless headers": [
      raw(200, { "X-Long": "x".repeat(70_000) }),
      /response headers are too long/,
    ],
    "408": [answer("", {}, 408), /answered 408 to PATCH/],
    "409": [answer("", {}, 409), /answered 409 to PATCH/],
    "422": [answer("", {}, 422), /answered 422 to PATCH/],
    "429": [answer("", { "Retry-After": "1" }, 429), /answered 429 to PATCH/],
    "500": [answer("", {}, 500), /answered 500 to PATCH/],
    "503": [answer("", { "Retry-After": "1" }, 503), /answered 503 to PATCH/],
    "a redirect at home": [
      raw(307, { Location: path, "Content-Length": "0" }),
      /a redirect; redirects are not followed/,
    ],
    "a redirect away": [
      raw(308, { Location: `https://evil.example/${key}`, "Content-Length": "0" }),
      /a redirect/,
    ],
  };

  it.each(Object.keys(disagreeing))("is not repeated after %s", async (name) => {
    const [script, why] = disagreeing[name]!;
    const sent = await send([script], { timeoutMs: 100 });
    expect(sent).toMatchObject({ accepted: false, why: expect.stringMatching(why) });
    for (const secret of [key, content]) expect(JSON.stringify(sent)).not.toContain(secret);
    expect(patches()).toBe(1);
    expect(reader.client.counts).toEqual({ requests: 1, retries: 0 });
    expect(reader.sleeps).toEqual([]);
  });

  it.each([
    [401, "key"],
    [403, "key"],
    [404, "policy"],
    [422, "set"],
    [429, undefined],
  ])("is uncertain at %i: refused %s, by the service's text", async (status, refused) => {
    const sent = await send([answer(`SVC1 ${key} ${content}`, {}, status)]);
    const why = `the service answered ${status} to PATCH ${path}`;
    expect(sent).toEqual({ accepted: false, why, ...(refused && { refused }) });
    expect(patches()).toBe(1);
  });

  it("reports that nothing was sent if no server listens", async () => {
    reader = newReader("http://127.0.0.1:1");
    const error = await failure(sendPolicy(reader.client, "12", set));
    expect(error.message).toMatch(/^PATCH .* was not sent: the connection was refused/);
    expect(reader.client.counts).toEqual({ requests: 1, retries: 0 });
  });
});

/** A service that reads whole bodies and answers `{}`. */
async function bodyService(
  answer: (request: IncomingMessage, body: string) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      answer(request, body);
      response.end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((done) => void server.close(() => done())),
  };
}
