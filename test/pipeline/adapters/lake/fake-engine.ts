import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { type LakeHome, lakeHome, listRecords } from "./scene.ts";

/** What one request asked for. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
};

type Reply = Readonly<Record<string, unknown>>;

/** A home with a lake, and a server that plays the part of the engine; new for each test. */
export type FakeEngine = {
  readonly home: LakeHome;
  readonly asked: readonly Asked[];
  /** What each step of a query answers; the last one again and again. */
  replies: readonly Reply[];
  info: Reply;
  /** Of the answers to queries. */
  status: number;
  /** Called before an answer. */
  heard: (asked: Asked) => void;
  /** The address of a step. */
  readonly at: (step: number) => string;
  readonly close: () => Promise<void>;
  /** Flags that name a configuration with the lake and the engine. */
  readonly configured: (more?: object) => string[];
  readonly sql: (query: string, ...argv: string[]) => Promise<Outcome>;
};

/** The statements among the requests, in their order. */
export const statementsIn = ({ asked }: FakeEngine): Asked[] =>
  asked.filter(({ path }) => path === "/v1/statement");

/** Prepares the home once for a test file, and a server before each test. */
export function fakeEngine(): FakeEngine {
  let home: LakeHome;
  let server: Server;
  let url: string;
  const asked: Asked[] = [];
  const engine: FakeEngine = {
    asked,
    replies: [],
    info: {},
    status: 200,
    heard: () => undefined,
    get home() {
      return home;
    },
    at: (step) => `${url}/v1/statement/executing/${step}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    configured: (more = {}) => {
      const engines = { trino: { url, ...more } };
      const lake = { location: home.root };
      return ["--config", home.write("e.json", JSON.stringify({ lake, engines }))];
    },
    sql: (query, ...argv) =>
      home.run([...engine.configured(), "sql", "--engine", "trino", query, ...argv]),
  };
  beforeAll(async () => {
    home = lakeHome();
    await home.load(listRecords(0, "a", 4));
    expect((await home.lake("publish")).code).toBe(0);
  });
  afterAll(() => home[Symbol.dispose]());
  beforeEach(async () => {
    asked.length = 0;
    Object.assign(engine, { replies: [], status: 200, heard: () => undefined });
    engine.info = { nodeVersion: { version: "476" }, starting: false };
    server = newServer(engine, asked);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  return engine;
}

function newServer(engine: FakeEngine, asked: Asked[]): Server {
  return createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => (body += part));
    request.on("end", () => {
      const { url: path = "", method = "", headers } = request;
      const one = { method, path, body, headers };
      asked.push(one);
      engine.heard(one);
      if (path === "/v1/info") return response.end(JSON.stringify(engine.info));
      const step = path === "/v1/statement" ? 0 : Number(path.split("/").at(-1));
      const reply = engine.replies[Math.min(step, engine.replies.length - 1)]!;
      response.statusCode = engine.status;
      const text = JSON.stringify({ stats: { state: "RUNNING" }, ...reply });
      // Numbers of 64 bits as the engine writes them.
      response.end(text.replaceAll(/"(\d{16,})n"/g, "$1"));
    });
  });
}
