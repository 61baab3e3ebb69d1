import { gzipSync } from "node:zlib";
import type { Random } from "../../../fixtures/random.ts";
import {
  answer,
  content,
  key,
  raw,
  unframed,
  type Script,
} from "../../pipeline/core/source/raw-service.ts";

export const pageSize = 5;

const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"] as const;

/** A log and how a service gives it out. */
export type Plan = {
  readonly style: (typeof styles)[number];
  readonly format: "array" | "envelope" | "lines";
  readonly ids: readonly string[];
  /** Share of the answers that are broken on their way. */
  readonly rate: number;
};

/** Draws a log of at most five pages. */
export function makePlan(random: Random): Plan {
  const style = random.pick(styles);
  const needsEnvelope = style === "cursor" || style === "next_url";
  const format = needsEnvelope ? "envelope" : random.pick(["array", "envelope", "lines"] as const);
  const ids = Array.from({ length: random.int(0, 23) }, () => random.uuid());
  return { style, format, ids, rate: random.pick([0, 0.1, 0.3, 0.6]) };
}

/** Body and headers that a request is rightly answered with. */
export function rightAnswer(
  { style, format, ids }: Plan,
  url: URL,
): [string, Record<string, string>] {
  const given = url.searchParams.get("page");
  const offset = style === "page" ? (Number(given) - 1) * pageSize : Number(given ?? 0);
  const end = style === "none" ? ids.length : offset + pageSize;
  const next = end < ids.length ? end : null;
  const records = ids.slice(offset, end).map((id) => ({ time: 1, id, event_name: content }));
  const link = next === null ? null : `/v4/audits?page=${next}`;
  const headers: Record<string, string> =
    style === "link_header" && link !== null ? { Link: `<${link}>; rel="next"` } : {};
  if (format === "lines") {
    headers["Content-Type"] = "application/x-ndjson";
    return [records.map((record) => `${JSON.stringify(record)}\n`).join(""), headers];
  }
  if (format === "array") return [JSON.stringify(records), headers];
  const following = { cursor: next, next_url: link }[style as string] ?? undefined;
  return [JSON.stringify({ audits: records, next_page: following }), headers];
}

/** The right answer, broken on its way in some way or other. */
export function makeFault(random: Random, body: string, headers: Record<string, string>): Script {
  const bytes = Buffer.from(body);
  const cut = bytes.subarray(0, random.int(0, Math.max(0, bytes.length - 1)));
  const length = String(bytes.length);
  const gzip = { ...headers, "Content-Encoding": "gzip" };
  const half = gzipSync(bytes).subarray(0, -random.int(1, 12));
  return random.pick<Script>([
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-"),
    (socket) => socket.end(`garbage ${body}`),
    () => undefined,
    dripping(bytes, { ...headers, "Content-Length": String(bytes.length + 1000) }),
    raw(200, { ...headers, "Content-Length": length }, cut),
    raw(200, { ...headers, "Content-Length": length }, cut, true),
    raw(
      200,
      { ...headers, "Transfer-Encoding": "chunked" },
      `${bytes.length.toString(16)}\r\n${body}\r\n`,
      true,
    ),
    unframed(cut, headers),
    unframed(half, gzip),
    answer(half, gzip),
    answer(`<html>${content}</html>`, { "Content-Type": "text/html" }),
    answer(content, { "Content-Type": "text/plain" }),
    answer(`{"error":"${key}"}`),
    answer("", { "Content-Type": "application/json" }),
    answer(content, { "Retry-After": "1" }, random.pick([408, 425, 429, 500, 502, 503, 504])),
    answer(content, { "Retry-After": "1" }, random.pick([202, 403])),
    answer(content, { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1" }, 403),
    answer("[", headers),
  ]);
}

/** Now and then the service itself fails for good. */
export function makeFailure(random: Random, body: string): Script {
  return random.pick<Script>([
    answer(body, {}, random.pick([400, 401, 403, 404])),
    raw(302, { Location: "http://127.0.0.1:1/", "Content-Length": "0" }),
    answer(body, { "Content-Encoding": "br" }),
    answer(Buffer.alloc(200_000, 32)),
  ]);
}

// Always something to read, never the end of it.
function dripping(bytes: Buffer, headers: Readonly<Record<string, string>>): Script {
  return (socket, head) => {
    raw(200, headers, bytes)(socket, head);
    const timer = setInterval(() => socket.write(" "), 10);
    socket.once("close", () => clearInterval(timer));
  };
}
