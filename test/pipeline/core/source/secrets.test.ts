import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { listForms } from "../../../fault/canary/forms.ts";
import { hitsIn, searchFolder } from "../../../fault/canary/search.ts";
import { startCli } from "../../../fault/process.ts";
import { selfSigned } from "../../../support/certificate.ts";
import { newHome } from "../../../support/home.ts";
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

// The command line runs with all that can be logged. Neither key nor record shows, and neither a file nor a row of the
// database has the key.

const echo = `{"error":"SVC1 ${key}","record":"${content}"}`;
const coded = [...key].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
// A service shows the key in a refusal, and anything in what it says as it fails.
const echoedKey = `{"error":"SVC1 ${key}","hint":"${coded}"}`;
const swapped = [...key].map((one) =>
  one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
);
const newLinked = (place: string): Script => answer(page, { Link: `<${place}>; rel="next"` });
const byLink = { audits: { paging: { style: "link_header" } } };
const move = (place: string): Script => raw(302, { Location: place });

type Case = { readonly scripts: readonly Script[]; readonly source?: object };
const cases: Readonly<Record<string, Case>> = {
  "whole pages": { scripts: [answer("[]"), answer(page)] },
  "a refused key": { scripts: [answer(echoedKey, {}, 401)] },
  "a service that fails": { scripts: [answer(echo, { "Retry-After": "1" }, 503)] },
  "an address that is wrong": { scripts: [answer("[]"), answer(echoedKey, {}, 404)] },
  "text in place of JSON": {
    scripts: [answer("[]"), answer(`${key} ${content}`, { "Content-Type": "text/plain" })],
  },
  "a body that is cut off": { scripts: [answer("[]"), unframed(page.slice(0, 40))] },
  "a packed body that is cut off": {
    scripts: [answer("[]"), answer(gzipSync(page).subarray(0, -9), { "Content-Encoding": "gzip" })],
  },
  "a header with the key in it": { scripts: [answer(page, { "Content-Encoding": key })] },
  "no HTTP": { scripts: [(socket) => void socket.end(`${key} ${content}\r\n\r\n`)] },
  "a record that is none": {
    scripts: [
      answer("[]"),
      answer(
        `{"audits":[{"time":1,"event_name":"${content}"},{"time":"${content}"},{"time":${content}}],"next_page":null}`,
      ),
    ],
  },
  "redirects to hosts of the key's name": {
    scripts: [move(`https://${key}.evil.example/`), move(`https://${swapped.join("")}.example/`)],
  },
  "a redirect to a path of the key's name": {
    scripts: [
      move(`/${coded}`),
      answer(echoedKey, {}, 404),
      move(`/x/${key}`),
      answer(echo, {}, 503),
    ],
  },
  "a redirect that never ends": { scripts: [move(`/x/${swapped.join("")}?${key}`)] },
  "a link to a host of the key's name": {
    scripts: [answer("[]"), newLinked(`https://${coded}.evil.example/`)],
    source: byLink,
  },
  "a link to a path of the key's name that is refused": {
    scripts: [answer("[]"), newLinked(`/v4/${key}/x`), answer(echoedKey, {}, 403)],
    source: byLink,
  },
  "a link to a path of the key's name that fails": {
    scripts: [answer("[]"), newLinked(`/v4/${coded}/x`), answer(echo, {}, 503)],
    source: byLink,
  },
};

const range = ["--from", "2026-01-01", "--to", "2026-01-02"];
const forms = listForms(key);
const home = newHome();
afterAll(() => home[Symbol.dispose]());

describe("ingest", () => {
  let shown = "";

  it.each(Object.keys(cases))("of %s prints neither key nor record", async (name) => {
    const { scripts, source = {} } = cases[name]!;
    await using service = await rawService(...scripts);
    const limits = { max_attempts: 2 };
    const config = { sources: { s: { base_url: service.url, limits, ...source } } };
    const file = home.write("auditlake.json", JSON.stringify(config));
    const world = { env: { AUDITLAKE_API_KEY: key }, sleep: () => Promise.resolve() };
    const argv = ["--config", file, "--log-level", "debug", "ingest", ...range];
    const { out, err } = await home.run(argv, world);
    expect(service.heads.length).toBeGreaterThan(0);
    expect(err).toContain("reading 2026-01-01");
    for (const secret of [key, content, encodeURIComponent(key), coded])
      expect((out + err).toLowerCase()).not.toContain(secret.toLowerCase());
    shown += out + err;
  });

  it("leaves no trace of the key in output and storage", async () => {
    const { out, err } = await home.run(["status", "--json"]);
    expect(JSON.parse(out)).toHaveProperty("sources");
    const lower = new Map([...forms, ["lower case", Buffer.from(key.toLowerCase())] as const]);
    expect(hitsIn(Buffer.from((shown + out + err).toLowerCase()), lower)).toEqual([]);
    expect(hitsIn(Buffer.from(shown + out + err), forms)).toEqual([]);
    expect((await searchFolder(home.folder, lower, () => false)).hits).toEqual([]);
  });
});

describe("a certificate with the key's name", () => {
  const { key: privateKey, cert } = selfSigned(key, [`${key}.evil.example`]);

  it.each([true, false])("is shown to no service (trusted: %s)", async (isTrusted) => {
    const server = createServer({ key: privateKey, cert }, (_request, response) =>
      response.end("[]"),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // The search leaves key files out: this one has the name in it.
    const extra = isTrusted ? home.write("key-cert.pem", cert) : "";
    const env = { AUDITLAKE_BASE_URL: `https://127.0.0.1:${port}`, AUDITLAKE_API_KEY: key };
    const argv = ["--home", home.home, "--log-level", "debug", "ingest", ...range];
    const { err } = await startCli(argv, { ...env, NODE_EXTRA_CA_CERTS: extra }).ended;
    server.close();
    expect(err).toContain(
      isTrusted ? "ERR_TLS_CERT_ALTNAME_INVALID" : "DEPTH_ZERO_SELF_SIGNED_CERT",
    );
    expect(hitsIn(Buffer.from(err), forms)).toEqual([]);
    expect((await searchFolder(home.home, forms, () => false)).hits).toEqual([]);
  });
});
