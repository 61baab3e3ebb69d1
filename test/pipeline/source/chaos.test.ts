import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { randomOf, type Random } from "../../../fixtures/random.ts";
import { configSchema } from "../../../schemas/config.ts";
import { AuditlakeError } from "../../../pipeline/errors.ts";
import { eachLine, readJson } from "../../../pipeline/page/records.ts";
import { readWindow } from "../../../pipeline/source/audits.ts";
import {
  answer,
  content,
  key,
  raw,
  rawService,
  readerOf,
  unframed,
  type Script,
} from "./raw-service.ts";

// A service that answers rightly, on a line that does not: however the faults fall, a window ends in time,
// with all of its events or with an error, never with others. A long run sets AUDITLAKE_CHAOS_SEEDS.

const seeds = Number(process.env["AUDITLAKE_CHAOS_SEEDS"] ?? 50);
const pageSize = 5;
const timeoutMs = 80;
const maxAttempts = 4;

const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"] as const;
type Format = "array" | "envelope" | "lines";

type Plan = {
  readonly style: (typeof styles)[number];
  readonly format: Format;
  readonly ids: string[];
};

function planOf(random: Random): Plan {
  const style = random.pick(styles);
  const needsEnvelope = style === "cursor" || style === "next_url";
  const format = needsEnvelope ? "envelope" : random.pick(["array", "envelope", "lines"] as const);
  const ids = Array.from({ length: random.int(0, 23) }, () => random.uuid());
  return { style, format, ids };
}

/** Body and headers that a request is rightly answered with. */
function rightAnswer({ style, format, ids }: Plan, url: URL): [string, Record<string, string>] {
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
  const said = { cursor: next, next_url: link }[style as string] ?? undefined;
  return [JSON.stringify({ audits: records, next_page: said }), headers];
}

/** The right answer, broken on its way in some way or other. */
function faultOf(random: Random, body: string, headers: Record<string, string>): Script {
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
    answer("[", headers),
  ]);
}

/** Now and then the service itself fails for good. */
function failureOf(random: Random, body: string): Script {
  return random.pick<Script>([
    answer(content, {}, random.pick([400, 401, 403, 404])),
    raw(302, { Location: "http://127.0.0.1:1/", "Content-Length": "0" }),
    answer(body, { "Content-Encoding": "br" }),
    answer(Buffer.alloc(200_000, 32)),
  ]);
}

async function run(seed: number): Promise<"all" | "error"> {
  const random = randomOf(seed, "chaos");
  const plan = planOf(random);
  const rate = random.pick([0, 0.1, 0.3, 0.6]);
  await using service = await rawService((socket, head) => {
    const url = new URL(/^GET (\S+)/.exec(head)![1]!, "http://x");
    const [body, headers] = rightAnswer(plan, url);
    if (random.chance(rate / 20)) return failureOf(random, body)(socket, head);
    if (random.chance(rate)) return faultOf(random, body, headers)(socket, head);
    return answer(body, headers)(socket, head);
  });
  await using reader = readerOf(service.url, { timeoutMs, maxAttempts });
  const audits = { paging: { style: plan.style, size: pageSize } };
  const source = configSchema.parse({ sources: { a: { audits } } }).sources["a"]!;
  const found: string[] = [];
  try {
    for await (const { bytes, format } of readWindow(reader.client, source, {
      startMs: 0,
      endMs: 1000,
    })) {
      const take = (start: number, end: number): void =>
        void found.push((JSON.parse(bytes.toString("utf8", start, end)) as { id: string }).id);
      if (format === "json") readJson(bytes, null, take);
      else eachLine(bytes, take);
    }
  } catch (error) {
    expect(error, `seed ${seed}`).toBeInstanceOf(AuditlakeError);
    expect((error as Error).message).not.toMatch(/CANARY/);
    return "error";
  }
  expect(found, `seed ${seed}: ${plan.style}, ${plan.format}`).toEqual(plan.ids);
  return "all";
}

it(`holds in ${seeds} seeded runs`, { timeout: 60_000 + seeds * 1000 }, async () => {
  const outcomes = { all: 0, error: 0 };
  for (let seed = 0; seed < seeds; seed++) {
    const start = performance.now();
    outcomes[await run(seed)]++;
    // Six pages, each with all its attempts, at the very most.
    expect(performance.now() - start, `seed ${seed}`).toBeLessThan(
      6 * maxAttempts * timeoutMs + 500,
    );
  }
  expect(outcomes.all).toBeGreaterThan(seeds / 3);
  expect(outcomes.error).toBeGreaterThan(0);
});
