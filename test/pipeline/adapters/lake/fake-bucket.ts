import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

// An object store of one process, which can misbehave; real ones are asked in test/lake.

export type FakeBucket = AsyncDisposable & {
  readonly url: string;
  readonly files: Map<string, Buffer>;
  /** What requests were made, `PUT a/b`. */
  readonly asked: string[];
  /** Overwrites each name, regardless of the request, like older stores. */
  replaces: boolean;
  /** Answers with this status, code and headers, and the text beside the code, instead of doing anything. */
  refusal: Refusal | undefined;
  /** So many requests are answered before they are refused. */
  patience: number;
  /** Does what is asked of names that match, once each, and hangs up before it answers. */
  loses: RegExp | undefined;
};

type Refusal = readonly [
  status: number,
  code: string,
  headers?: Readonly<Record<string, string>>,
  more?: string,
];

/** Starts one on loopback; its bucket is called `audit`. */
export async function fakeBucket(): Promise<FakeBucket> {
  const files = new Map<string, Buffer>();
  const lost = new Set<string>();
  const state: Omit<FakeBucket, keyof AsyncDisposable | "url"> = {
    files,
    asked: [],
    replaces: false,
    refusal: undefined,
    patience: 0,
    loses: undefined,
  };
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url!, "http://fake");
      const name = decodeURIComponent(url.pathname.replace(/^\/audit\/?/, ""));
      state.asked.push(`${request.method} ${name}`);
      const body = await readBody(request);
      const refusal = state.refusal && state.patience-- <= 0 ? state.refusal : undefined;
      const [status, text] = refusal ? refuse(refusal) : answer(request, name, url, body, state);
      const isLost =
        state.loses?.test(name) === true && !lost.has(name) && request.method === "PUT";
      lost.add(name);
      if (isLost) return void request.socket.destroy();
      response.writeHead(status, refusal?.[2]).end(text);
    })();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => close(server),
  });
}

// A page for people where the code is none.
function refuse([status, code, , more = ""]: Refusal): Answer {
  if (code === "") return [status, more];
  return [status, `<Error><Code>${code}</Code>${more}</Error>`];
}

type Answer = readonly [number, string | Buffer];

function answer(
  { method, headers }: IncomingMessage,
  name: string,
  url: URL,
  body: Buffer,
  { files, replaces }: Pick<FakeBucket, "files" | "replaces">,
): Answer {
  if (method === "PUT") {
    if (headers["if-none-match"] === "*" && files.has(name) && !replaces) return [412, ""];
    files.set(name, body);
    return [200, ""];
  }
  if (method === "DELETE") return [files.delete(name) ? 204 : 404, ""];
  if (!url.searchParams.has("list-type"))
    return [files.has(name) ? 200 : 404, files.get(name) ?? ""];
  return [200, listing(url.searchParams, files)];
}

// Two names a page, so that reading on is tried.
function listing(query: URLSearchParams, files: ReadonlyMap<string, Buffer>): string {
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const names = [...files.keys()]
    .filter((name) => name.startsWith(query.get("prefix") ?? "") && name > after)
    .sort();
  const shown = names.slice(0, 2);
  const items = shown.map(
    (name) =>
      `<Contents><Key>${encodeURIComponent(name)}</Key><Size>${files.get(name)!.length}</Size><LastModified>2026-04-01T00:00:00.000Z</LastModified></Contents>`,
  );
  const next = names.length > 2 ? `<NextContinuationToken>${shown[1]}</NextContinuationToken>` : "";
  return `<ListBucketResult>${items.join("")}${next}</ListBucketResult>`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
