import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Plan, Row } from "./plans.ts";

/** A service that behaves as planned; counts what it is asked. */
export type Played = AsyncDisposable & {
  readonly url: string;
  readonly requests: () => number;
  /** Method and query of each request. */
  readonly asked: readonly string[];
};

/** Changes an answer before it is sent: the seam for misbehaving services. */
export type Misbehavior = (body: Body, asked: URLSearchParams, count: number) => Body;

export type Body = { readonly rows: readonly Row[]; readonly next: string | number | null };

/** Starts a service of its own on the loopback. */
export async function play(
  plan: Plan,
  misbehavior: Misbehavior = (body) => body,
  refusal = 400,
): Promise<Played> {
  const asked: string[] = [];
  let origin = "";
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", origin);
    asked.push(`${request.method} ${url.pathname}${url.search}`);
    if (url.pathname !== "/v4/audits") return refuse(response, 404);
    try {
      const { rows, next } = misbehavior(buildPage(plan, url), url.searchParams, asked.length);
      send(response, plan, url, { rows, next, total: computeTotal(plan, url) });
    } catch {
      refuse(response, refusal);
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    requests: () => asked.length,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end('{"error":"no"}');
}

function choose({ window, needsWindow, rows }: Plan, query: URLSearchParams): readonly Row[] {
  if (window === undefined) return rows;
  const edge = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    const isIso = !/^\d+$/.test(text);
    const seconds = isIso ? Date.parse(text) / 1000 : Number(text);
    if (isIso !== window.isIso || Number.isNaN(seconds)) throw new RangeError(name);
    return seconds;
  };
  const [from, to] = [edge(window.from), edge(window.to)];
  if (needsWindow && (from === undefined || to === undefined)) throw new RangeError("window");
  return rows.filter(
    ({ time }) =>
      (from === undefined || time >= from) &&
      (to === undefined || time < to || (window.isClosed && time === to)),
  );
}

function computeTotal(plan: Plan, { searchParams }: URL): number {
  return choose(plan, searchParams).length;
}

function buildPage(plan: Plan, { searchParams: query }: URL): Body {
  const { style, param, sizeParam, pageCap, defaultSize, firstPage, isStrict, window } = plan;
  const known = [param, sizeParam, window?.from, window?.to, style === "none" ? undefined : "tok"];
  if (isStrict)
    for (const name of query.keys()) if (!known.includes(name)) throw new RangeError(name);
  const found = choose(plan, query);
  const rows = plan.isNewestFirst ? found.toReversed() : found;
  const size = Math.min(pageCap, count(query, sizeParam) ?? defaultSize);
  const asked = style === "cursor" ? query.get(param) : query.get("tok");
  const isOpaque = style === "cursor" || style === "next_url" || style === "link_header";
  const at =
    style === "page"
      ? ((count(query, param) ?? firstPage) - firstPage) * size
      : style === "offset"
        ? (count(query, param) ?? 0)
        : isOpaque && asked !== null
          ? open(asked)
          : 0;
  if (at < 0) throw new RangeError(param);
  const end = at + size;
  const next = end < rows.length && isOpaque ? encode(end) : null;
  return { rows: rows.slice(at, end), next };
}

function count(query: URLSearchParams, name: string | undefined): number | undefined {
  const text = name === undefined ? null : query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(name);
  return Number(text);
}

function encode(at: number): string {
  return Buffer.from(`at:${at}`).toString("base64url");
}

function open(cursor: string): number {
  const [, at] = /^at:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (at === undefined) throw new RangeError("cursor");
  return Number(at);
}

function send(
  response: ServerResponse,
  plan: Plan,
  url: URL,
  { rows, next, total }: Body & { readonly total: number },
): void {
  const { style, shape } = plan;
  const address = next === null ? null : getAddress(plan, url, String(next));
  if (style === "link_header" && address !== null)
    response.setHeader("Link", `<${url.href}>; rel="self", <${address}>; rel="next"`);
  response.setHeader("Date", new Date().toUTCString());
  if (shape !== "envelope") return plain(response, shape, rows);
  const body: Record<string, unknown> = {};
  if (plan.hasNoise) put(body, ["meta", "request"], `r-${Math.random()}`);
  if (plan.hasNoise) put(body, ["version"], "4");
  if (plan.hasOtherList) put(body, ["warnings"], []);
  put(body, plan.recordsAt, rows);
  if (plan.totalAt !== undefined) put(body, plan.totalAt, total);
  const following = style === "cursor" ? next : style === "next_url" ? address : undefined;
  if (typeof following === "string" || typeof following === "number")
    put(body, plan.nextAt, following);
  else if (following === null && plan.end !== "absent")
    put(body, plan.nextAt, plan.end === "null" ? null : "");
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(body));
}

function getAddress({ isAddressWhole }: Plan, url: URL, token: string): string {
  const next = new URL(url);
  next.searchParams.set("tok", token);
  return isAddressWhole ? next.href : `${next.pathname}${next.search}`;
}

function put(
  body: Record<string, unknown>,
  [key, ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) body[key!] = value;
  else put((body[key!] ??= {}) as Record<string, unknown>, rest, value);
}

function plain(response: ServerResponse, shape: Plan["shape"], rows: readonly Row[]): void {
  if (shape === "array") {
    response.setHeader("Content-Type", "application/json");
    return void response.end(JSON.stringify(rows));
  }
  if (shape === "ndjson") {
    response.setHeader("Content-Type", "application/x-ndjson");
    return void response.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  response.setHeader("Content-Type", "text/csv");
  const columns = ["id", "time", "event_name", "user_id", "query_text"];
  const cell = (value: unknown): string =>
    value === null || value === undefined ? "" : `"${String(value).replaceAll('"', '""')}"`;
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(","));
  response.end(`${[columns.join(","), ...lines].join("\r\n")}\r\n`);
}
