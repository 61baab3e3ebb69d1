import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  findMissingPython,
  newSignedHome,
  type SignedHome,
  verifyIndependently,
} from "./signed-home.ts";

// A witness as C2SP tlog-witness describes it; the other verifier decides on its proofs.

const name = "witness.example/w1";
let server: Server | undefined;
afterEach(() => server?.close());

type Witness = { readonly url: string; readonly key: string; seen: string | undefined };

async function startWitness(home: SignedHome): Promise<Witness> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url");
  const keyId = hash(
    "sha256",
    Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(4), raw]),
    "buffer",
  );
  const key = `${name}+${keyId.toString("hex", 0, 4)}+${Buffer.concat([Buffer.of(4), raw]).toString("base64")}`;
  const witness: Witness = { url: "", key, seen: undefined };
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      const { status, text } = judge(body, witness, home, privateKey, keyId.subarray(0, 4));
      response.writeHead(request.url === "/w/add-checkpoint" ? status : 404).end(text);
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return Object.assign(witness, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/w`,
  });
}

function judge(
  body: string,
  witness: Witness,
  home: SignedHome,
  privateKey: KeyObject,
  keyId: Buffer,
): { readonly status: number; readonly text: string } {
  const size = witness.seen?.split("\n")[1] ?? "0";
  if (body.split("\n")[0] !== `old ${size}`) return { status: 409, text: `${size}\n` };
  const note = body.slice(body.indexOf("\n\n") + 2);
  if (witness.seen !== undefined)
    try {
      verifyIndependently(
        "consistency",
        join(home.landing, "log/key.pub"),
        home.home.write("seen", witness.seen),
        home.home.write("body", body),
      );
    } catch {
      return { status: 422, text: "" };
    }
  witness.seen = note;
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(1_764_000_000n);
  const text = note.slice(0, note.indexOf("\n\n") + 1);
  const signed = sign(null, Buffer.from(`cosignature/v1\ntime 1764000000\n${text}`), privateKey);
  const line = Buffer.concat([keyId, stamp, signed]).toString("base64");
  return { status: 200, text: `— ${name} ${line}\n` };
}

async function newWitnessedHome(): Promise<{ home: SignedHome; witness: Witness }> {
  const home = await newSignedHome();
  const witness = await startWitness(home);
  const { url, key } = witness;
  const evidence = { name: "audit.example", key_file: home.keyFile, witness: { url, key } };
  home.home.write("auditlake.json", JSON.stringify({ evidence }));
  return { home, witness };
}

describe.skipIf(findMissingPython() !== undefined)("a witness", () => {
  test("signs each head that continues its last one", async () => {
    const { home, witness } = await newWitnessedHome();
    using _home = home;
    for (let i = 0; i < 3; i++) expect(await home.load()).toMatchObject({ code: 0 });
    expect(home.readHead()).toMatch(/\n— audit\.example\/.*\n— witness\.example\/w1 .*\n$/);
    expect(home.readHead().startsWith(witness.seen!)).toBe(true);
    expect(verifyIndependently("log", home.landing)).toMatch(/entries/);
  });

  test("does not sign for a home that was restored to an older state", async () => {
    const { home, witness } = await newWitnessedHome();
    using _home = home;
    await home.load();
    cpSync(home.landing, `${home.landing}-old`, { recursive: true });
    for (let i = 0; i < 2; i++) await home.load();
    const seen = witness.seen!;
    rmSync(home.landing, { recursive: true });
    cpSync(`${home.landing}-old`, home.landing, { recursive: true });
    for (const why of ["the witness has seen", "the witness has seen another log"]) {
      const { code, err } = await home.load();
      expect(code).toBe(6);
      expect(err).toContain(`the head of the evidence log is not signed: ${why}`);
      expect(home.readHead().split("\n")).toHaveLength(4);
      await home.load();
      await home.load();
    }
    expect(witness.seen).toBe(seen);
  });

  test("that is unreachable causes a warning, and the head is signed", async () => {
    const { home } = await newWitnessedHome();
    using _home = home;
    server?.close();
    const { code, err } = await home.load();
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: the witness did not sign the head of the evidence log: /m);
    expect(readFileSync(join(home.landing, "log/head"), "utf8")).toMatch(
      /\n— audit\.example\/.*\n$/,
    );
  });
});
