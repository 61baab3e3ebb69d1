import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newAddressCheck } from "../../../../pipeline/adapters/serve/proxy.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

const behindProxy = {
  user_header: "X-Forwarded-User",
  trusted_proxies: ["127.0.0.0/8"],
  base_url: "https://audit.example.com",
};

type Shared = AsyncDisposable & { readonly port: number; readonly out: string };

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
});
afterAll(() => home[Symbol.dispose]());

/** Starts `serve --listen` with a configuration and waits until it listens. */
async function share(serve: object, address = "127.0.0.1:0"): Promise<Shared> {
  const config = home.write("auditlake.json", JSON.stringify({ serve }));
  const controller = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const argv = ["--config", config, "serve", "--listen", address];
  const done = home.run(argv, { stdout, stderr, signal: controller.signal });
  const text = await new Promise<string>((resolve) =>
    stderr.once("data", (part: Buffer) => resolve(part.toString())),
  );
  return {
    port: Number(/ port (\d+) /.exec(text)?.[1]),
    out: String(stdout.read()),
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await done;
    },
  };
}

async function refusal(serve: object, address: string): Promise<[number, string]> {
  const config = home.write("auditlake.json", JSON.stringify({ serve }));
  const { code, out, err } = await home.run(["--config", config, "serve", "--listen", address]);
  expect(out).toBe("");
  return [code, err];
}

type Header = readonly [name: string, value: string];
const host: Header = ["Host", "audit.example.com"];

/** Sends a request line and headers as they are, also those that no client would send; resolves to the status. */
function send(port: number, line: string, headers: readonly Header[], body = ""): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (part) => (text += part.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    const lines = [`${line} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
    socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`, "latin1");
  });
}

describe("serve --listen", () => {
  test.each([
    [{}, "0.0.0.0:0", "serve.user_header and serve.trusted_proxies"],
    [{ ...behindProxy, user_header: undefined }, "0.0.0.0:0", "serve.user_header"],
    [{ ...behindProxy, trusted_proxies: [] }, "[::]:0", "serve.trusted_proxies"],
    [{ user_header: "X-User" }, "127.0.0.1:0", "serve.trusted_proxies"],
    [{ ...behindProxy, base_url: undefined }, "0.0.0.0:0", "serve.base_url"],
    [{ ...behindProxy, base_url: "https://a.example/audit" }, "0.0.0.0:0", "without a path"],
    [{ ...behindProxy, trusted_proxies: ["0.0.0.0/0"] }, "0.0.0.0:0", "smaller than all addresses"],
    [{ ...behindProxy, trusted_proxies: ["proxy"] }, "0.0.0.0:0", "trusted_proxies"],
    [behindProxy, "0.0.0.0", "ADDRESS:PORT"],
    [behindProxy, "example.com:80", "ADDRESS:PORT"],
    [behindProxy, "::1:80", "ADDRESS:PORT"],
    [behindProxy, "1.2.3.4:65536", "ADDRESS:PORT"],
    [behindProxy, "192.0.2.77:0", "not an address of this machine"],
  ] as const)("refuses %j on %s", async (serve, address, message) => {
    const [code, err] = await refusal(serve, address);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
    expect(err.trimEnd().split("\n").length).toBeLessThan(4);
  });

  test("on a loopback address without a proxy asks for the token, as --port does", async () => {
    const config = home.write("auditlake.json", "{}");
    const controller = new AbortController();
    const stdout = new PassThrough();
    const argv = ["--config", config, "serve", "--listen", "127.0.0.1:0"];
    const done = home.run(argv, { stdout, signal: controller.signal });
    const printed = await new Promise((resolve) =>
      stdout.once("data", (part: Buffer) => resolve(part.toString())),
    );
    expect(printed).toMatch(/^http:\/\/auditlake-[0-9a-f]+\.localhost:\d+\/\?token=[0-9a-f]+\n$/);
    controller.abort();
    await done;
  });
});

describe("serve behind a proxy", () => {
  let shared: Shared;
  beforeAll(async () => {
    shared = await share({ ...behindProxy, readers: ["ann", "bob"], responders: ["eve", "bjørn"] });
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  const user = (name: string): Header => ["X-Forwarded-User", name];
  const get = (headers: readonly Header[], line = "GET /reference"): Promise<number> =>
    send(shared.port, line, headers);

  test("prints the address that browsers open", () => {
    expect(shared.out).toBe("https://audit.example.com/\n");
  });

  test.each([
    ["a reader", [host, user("ann")], 200],
    ["a responder", [host, user("eve")], 200],
    ["a name beyond ASCII", [host, user(Buffer.from("bjørn").toString("latin1"))], 200],
    ["the header in another case", [host, ["x-FORWARDED-user", "ann"]], 200],
    ["the host in another case", [["Host", "AUDIT.example.com"], user("ann")], 200],
    ["no header", [host], 403],
    ["an empty header", [host, user("")], 403],
    ["another person", [host, user("mallory")], 403],
    ["the name in another case", [host, user("Ann")], 403],
    ["the star of the configuration", [host, user("*")], 403],
    ["the header twice", [host, user("ann"), user("eve")], 403],
    ["the same name twice", [host, user("ann"), user("ann")], 403],
    ["the header in two cases", [host, user("ann"), ["x-forwarded-user", "eve"]], 403],
    ["two names that a proxy joined", [host, user("mallory, ann")], 403],
    ["a bidi name", [host, user(Buffer.from("ann\u202e").toString("latin1"))], 403],
    ["bytes that are no text", [host, user("ann\u00ff")], 403],
    ["a name of 201 characters", [host, user("a".repeat(201))], 403],
    ["the header with an underscore", [host, ["X_Forwarded_User", "ann"]], 403],
    ["other headers with a name", [host, ["X-Remote-User", "ann"], ["Remote-User", "ann"]], 403],
    ["a cookie of the loopback page", [host, ["Cookie", "auditlake=00"]], 403],
    ["another host", [["Host", "evil.example"], user("ann")], 421],
    ["no host", [user("ann")], 400],
    ["two hosts", [host, ["Host", "evil.example"], user("ann")], 421],
    ["a forwarded host", [["Host", "127.0.0.1"], ["X-Forwarded-Host", host[1]], user("ann")], 421],
    ["another origin", [host, user("ann"), ["Origin", "https://evil.example"]], 403],
    ["the origin without TLS", [host, user("ann"), ["Origin", "http://audit.example.com"]], 403],
    [
      "its own origin and another",
      [host, user("ann"), ["Origin", behindProxy.base_url], ["Origin", "null"]],
      403,
    ],
  ] as readonly [string, readonly Header[], number][])("answers %s", async (_, headers, status) => {
    expect(await get(headers)).toBe(status);
  });

  test.each([
    [
      "an absolute address of another host",
      "GET http://evil.example/reference",
      [user("ann")],
      [400, 421],
    ],
    ["a form without an origin", "POST /sql", [host, user("eve"), ["Content-Length", "0"]], [403]],
    [
      "a body with a length and chunks",
      "POST /sql",
      [
        host,
        user("eve"),
        ["Origin", behindProxy.base_url],
        ["Content-Length", "4"],
        ["Transfer-Encoding", "chunked"],
      ],
      [400],
    ],
    [
      "two lengths",
      "POST /sql",
      [
        host,
        user("eve"),
        ["Origin", behindProxy.base_url],
        ["Content-Length", "4"],
        ["Content-Length", "5"],
      ],
      [400],
    ],
    [
      "a folded header",
      "GET /reference",
      [host, ["X-A", "b\r\n X-Forwarded-User: ann"]],
      [400, 403],
    ],
    ["a header name with a blank", "GET /reference", [host, ["X-Forwarded-User ", "ann"]], [400]],
    ["a lone line feed", "GET /reference", [host, ["X-A", "b\nX-Forwarded-User: ann"]], [400]],
    [
      "a method in a header",
      "GET /reference",
      [host, user("ann"), ["X-HTTP-Method-Override", "DELETE"]],
      [200],
    ],
    [
      "another method",
      "DELETE /reference",
      [host, user("ann"), ["Origin", behindProxy.base_url]],
      [405],
    ],
    ["an upgrade", "GET /reference", [host, ["Upgrade", "h2c"], ["Connection", "Upgrade"]], [403]],
  ] as readonly [string, string, readonly Header[], readonly number[]][])(
    "answers %s",
    async (_, line, headers, statuses) => {
      expect(statuses).toContain(await get(headers, line));
    },
  );

  test("answers the second request of a connection by its own header", async () => {
    const first = `GET /reference HTTP/1.1\r\nHost: ${host[1]}\r\nX-Forwarded-User: ann\r\n\r\n`;
    const second = `GET /reference HTTP/1.1\r\nHost: ${host[1]}\r\nConnection: close\r\n\r\n`;
    const text = await new Promise<string>((resolve) => {
      const socket = connect(shared.port, "127.0.0.1");
      let all = "";
      socket.on("data", (part) => (all += part.toString()));
      socket.on("close", () => resolve(all));
      socket.write(first + second);
    });
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual(["200", "403"]);
  });

  test("logs the user of each query, and lets only responders save reports", async () => {
    await get([host, user("bob")], "GET /findings");
    await get([host, user("eve")], "GET /findings");
    const lines = readFileSync(join(home.home, "serve", "asked.ndjson"), "utf8")
      .trim()
      .split("\n");
    const by = lines.slice(-2).map((line) => (JSON.parse(line) as { by: string }).by);
    expect(by).toEqual(["bob", "eve"]);
    const save = (name: string): Promise<number> => {
      const body = "sql=select+1+as+n&name=n&title=N&grain=one";
      const length: Header = ["Content-Length", String(body.length)];
      const type: Header = ["Content-Type", "application/x-www-form-urlencoded"];
      const headers = [host, user(name), ["Origin", behindProxy.base_url] as const, length, type];
      return send(shared.port, "POST /sql/save", headers, body);
    };
    expect(await save("ann")).toBe(403);
    // No folder of reports is configured.
    expect(await save("eve")).toBe(400);
  });
});

test("a header from a client other than the proxy is ignored", async () => {
  await using shared = await share({ ...behindProxy, trusted_proxies: ["192.0.2.1"] });
  const forwarded: Header[] = [
    ["X-Forwarded-For", "192.0.2.1"],
    ["X-Real-IP", "192.0.2.1"],
    ["Forwarded", "for=192.0.2.1"],
  ];
  const headers = [host, ["X-Forwarded-User", "ann"] as const];
  expect(await send(shared.port, "GET /reference", headers)).toBe(403);
  expect(await send(shared.port, "GET /reference", [...headers, ...forwarded])).toBe(403);
});

test("an IPv4 proxy is recognised on an IPv6 socket", async () => {
  await using shared = await share(behindProxy, "[::]:0");
  const status = await new Promise((resolve, reject) => {
    const headers = { Host: host[1], "X-Forwarded-User": "ann" };
    request({ host: "127.0.0.1", port: shared.port, path: "/reference", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
});

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "::ffff:10.0.0.1", true],
  ["10.0.0.0/8", "::FFFF:10.0.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.0.0.0/8", "::ffff:11.0.0.1", false],
  ["10.0.0.0/8", "::10.0.0.1", false],
  ["10.0.0.0/8", "64:ff9b::10.0.0.1", false],
  ["10.0.0.1", "10.0.0.1", true],
  ["10.0.0.1", "10.0.0.10", false],
  ["10.0.0.1", "10.0.0.1.evil.example", false],
  ["10.0.0.1", "", false],
  ["fd00::/8", "fd12::1", true],
  ["fd00::/8", "fd12::1%eth0", true],
  ["fd00::/8", "fe80::1", false],
  ["::1", "::1", true],
  ["::1", "127.0.0.1", false],
])("the network %s has %s: %s", (network, address, isTrusted) => {
  expect(newAddressCheck([network])(address)).toBe(isTrusted);
});
