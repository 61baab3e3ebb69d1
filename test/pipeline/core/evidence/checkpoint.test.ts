import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import {
  checkSignature,
  formatSignature,
  formatVerifierKey,
  newVerifierKey,
  parseCheckpoint,
  parseSignatures,
  parseVerifierKey,
  signHead,
} from "../../../../pipeline/core/evidence/checkpoint.ts";
import { formatLeaf, parseLeaf } from "../../../../pipeline/core/evidence/leaf.ts";
import { computeRoot, formatProof, hashLeaf } from "../../../../pipeline/core/evidence/tree.ts";

// The key and note of the reference implementation of signed notes.
const reference = {
  key: "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  line: "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
};

const head = {
  origin: "audit.example/0123456789abcdef",
  size: 1,
  root: computeRoot([hashLeaf("a")]),
};

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return { privateKey, verifier: newVerifierKey(head.origin, publicKey) };
}

test("a note of the reference implementation is verified", () => {
  const key = parseVerifierKey(reference.key);
  const signatures = parseSignatures(reference.line);
  expect(checkSignature({ text: reference.text, signatures }, key)).toBe("valid");
  expect(checkSignature({ text: `${reference.text}x\n`, signatures }, key)).toBe("invalid");
  expect(formatSignature(signatures[0]!)).toBe(reference.line);
  expect(formatVerifierKey(key)).toBe(reference.key);
});

test("any changed character of a verifier key is refused", () => {
  for (let i = 0; i < reference.key.length; i++) {
    const code = reference.key.charCodeAt(i) + 1;
    const other =
      reference.key.slice(0, i) + String.fromCharCode(code) + reference.key.slice(i + 1);
    expect(() => parseVerifierKey(other), other).toThrow("is not an Ed25519 verifier key");
  }
});

test("a checkpoint has three lines and one signature of its origin", () => {
  const { privateKey, verifier } = makeKey();
  const note = signHead(head, privateKey);
  const lines = note.split("\n");
  expect(lines.slice(0, 4)).toEqual([head.origin, "1", head.root.toString("base64"), ""]);
  expect(lines).toHaveLength(6);
  const checkpoint = parseCheckpoint(note);
  expect(checkpoint).toMatchObject(head);
  expect(checkSignature(checkpoint, verifier)).toBe("valid");
  expect(checkSignature(checkpoint, makeKey().verifier)).toBe("missing");
  expect(checkSignature(parseCheckpoint(checkpoint.text), verifier)).toBe("missing");
});

test("a signature is of these three lines alone", () => {
  const { privateKey, verifier } = makeKey();
  const note = signHead(head, privateKey);
  const other = note.replace("\n1\n", "\n2\n");
  expect(checkSignature(parseCheckpoint(other), verifier)).toBe("invalid");
});

test.each([
  "",
  "origin\n",
  "origin\n01\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n",
  "origin\n1\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgh=\n",
  "origin\n1\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\nmore\n",
  "origin\n1\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n",
  "origin\n1\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— a AAAA\n",
  "origin\n1\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— a AAAAAAAA",
])("%j is not a checkpoint", (note) => {
  expect(() => parseCheckpoint(note)).toThrow(/^(?:is not a checkpoint|has a line|ends within)/);
});

test("the cosignature of a witness is verified with the time that it has", () => {
  const text =
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key = newVerifierKey("witness.example/w1", publicKey, 4);
  expect(parseVerifierKey(formatVerifierKey(key)).keyId).toBe(key.keyId);
  const signature = cosign(text, 1_679_315_147n, privateKey);
  const signed = { text, signatures: [{ name: key.name, keyId: key.keyId, signature }] };
  expect(checkSignature(signed, key)).toBe("valid");
  signature.writeBigUInt64BE(1_679_315_148n);
  expect(checkSignature(signed, key)).toBe("invalid");
});

function cosign(text: string, time: bigint, key: KeyObject): Buffer {
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(time);
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
  return Buffer.concat([stamp, sign(null, message, key)]);
}

test("a proof has the leaf, its index, the hashes and the unchanged checkpoint", () => {
  const hashes = [hashLeaf("x"), hashLeaf("y")];
  const checkpoint = signHead(head, makeKey().privateKey);
  expect(formatProof({ extra: "a — b", index: 7, hashes, checkpoint })).toBe(
    `c2sp.org/tlog-proof@v1
extra YSDigJQgYg==
index 7
${hashes[0]!.toString("base64")}
${hashes[1]!.toString("base64")}

${checkpoint}`,
  );
  expect(formatProof({ extra: "a", index: 0, hashes: [], checkpoint })).toBe(
    `c2sp.org/tlog-proof@v1\nextra YQ==\nindex 0\n\n${checkpoint}`,
  );
});

test("a line is a leaf only in its exact form", () => {
  const sha256 = "a".repeat(64);
  const at = "2026-11-28T05:00:00.000Z";
  const line = `{"v":1,"index":3,"kind":"read","path":"reads/x.json","sha256":"${sha256}","at":"${at}"}`;
  expect(formatLeaf(3, { kind: "read", path: "reads/x.json", sha256, at })).toBe(line);
  expect(parseLeaf(line)).toMatchObject({ index: 3, kind: "read", path: "reads/x.json" });
  const later = line.replace("}", ',"later":true}');
  expect(parseLeaf(later)).toMatchObject({ later: true });
  const program = `{"v":1,"index":0,"kind":"program","version":"1.0.0","catalog_sha256":"${sha256}","bundle_sha256":"${sha256}","at":"${at}"}`;
  expect(parseLeaf(program)).toMatchObject({ kind: "program", version: "1.0.0" });
  const others = [
    line.replace('"v":1,', '"v":1, '),
    line.replace('"index":3,', '"index":3,"more":1,'),
    line.replace('"read"', '"other"'),
    line.replace(".000Z", "Z"),
    line.slice(0, -1),
    later.replace("true", "false"),
  ];
  for (const other of others) expect(parseLeaf(other), other).toBeUndefined();
});
