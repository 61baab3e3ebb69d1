import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { newHome } from "../../support/home.ts";
import {
  answer,
  content,
  key,
  page,
  raw,
  rawService,
  unframed,
  type Script,
} from "./raw-service.ts";

// Through the command line, with all that can be logged: neither key nor record shows, and no file has the key.

const echo = `{"error":"SVC1 ${key}","record":"${content}"}`;
const scripts: Readonly<Record<string, readonly Script[]>> = {
  "whole pages": [answer("[]"), answer(page)],
  "a refused key": [answer(echo, {}, 401)],
  "a service that fails": [answer(echo, { "Retry-After": "1" }, 503)],
  "an address that is wrong": [answer("[]"), answer(echo, {}, 404)],
  "a redirect with the key in it": [raw(302, { Location: `https://evil.example/${key}` })],
  "text in place of JSON": [
    answer("[]"),
    answer(`${key} ${content}`, { "Content-Type": "text/plain" }),
  ],
  "a body that is cut off": [answer("[]"), unframed(page.slice(0, 40))],
  "a packed body that is cut off": [
    answer("[]"),
    answer(gzipSync(page).subarray(0, -9), { "Content-Encoding": "gzip" }),
  ],
  "a header with the key in it": [answer(page, { "Content-Encoding": key })],
  "no HTTP": [(socket) => void socket.end(`${key} ${content}\r\n\r\n`)],
  "a record that is none": [
    answer("[]"),
    answer(
      `{"audits":[{"time":1,"event_name":"${content}"},{"time":"${content}"},{"time":${content}}],"next_page":null}`,
    ),
  ],
};

describe.each(Object.keys(scripts))("ingest of %s", (name) => {
  it("shows neither key nor record", async () => {
    using home = newHome();
    await using service = await rawService(...scripts[name]!);
    const env = { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: key };
    const argv = ["--log-level", "debug", "ingest", "--from", "2026-01-01", "--to", "2026-01-02"];
    const { out, err } = await home.run(argv, { env });
    expect(service.heads.length).toBeGreaterThan(0);
    expect(err).toContain("reading 2026-01-01");
    const shown = (out + err).toLowerCase();
    for (const secret of [
      key,
      content,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
    ])
      expect(shown).not.toContain(secret.toLowerCase());
    const files = readdirSync(home.home, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile()))
      expect(readFileSync(join(file.parentPath, file.name)).includes(key), file.name).toBe(false);
  });
});
