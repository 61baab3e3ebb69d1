import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { AuditlakeError } from "../../base/errors.ts";
import type { SizedRoot } from "./tree.ts";

// Formats of C2SP: a checkpoint (tlog-checkpoint) is a signed note (signed-note) of three lines.

/** The head of a log: its origin, the number of leaves and the root. */
export type TreeHead = SizedRoot & { readonly origin: string };

export type NoteSignature = {
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly keyId: string;
  readonly signature: Buffer;
};

/** A checkpoint as it was read; a head of a home without a key has no signatures. */
export type Checkpoint = TreeHead & {
  /** The bytes of the three lines, which the signatures are of. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
};

/** Ed25519 over the text of a note, and the cosignature of a witness (tlog-cosignature). */
const signatureTypes = { note: 1, cosignature: 4 } as const;

type SignatureType = (typeof signatureTypes)[keyof typeof signatureTypes];

/** A public key as `NAME+HASH+BASE64`. */
export type VerifierKey = {
  readonly name: string;
  readonly keyId: string;
  readonly type: SignatureType;
  readonly publicKey: KeyObject;
};

const keyBytes = 32;
const namePattern = /^[^\s+]+$/u;
const headPattern = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;
const signaturePattern = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u;

/** The three lines of a head, which are what is signed. */
export function formatHead({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

/** The checkpoint of a head, signed under the name of its origin. */
export function signHead(head: TreeHead, privateKey: KeyObject): string {
  const text = formatHead(head);
  const { keyId } = newVerifierKey(head.origin, createPublicKey(privateKey));
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n${formatSignature({ name: head.origin, keyId, signature })}`;
}

export function formatSignature({ name, keyId, signature }: NoteSignature): string {
  const bytes = Buffer.concat([Buffer.from(keyId, "hex"), signature]);
  return `— ${name} ${bytes.toString("base64")}\n`;
}

/** Reads a checkpoint, or the three lines of an unsigned head. Throws AuditlakeError, which does not name the file. */
export function parseCheckpoint(note: string): Checkpoint {
  const end = note.indexOf("\n\n");
  const text = end === -1 ? note : note.slice(0, end + 1);
  const [, origin, size, root] = headPattern.exec(text) ?? [];
  const rootHash = decodeBase64(root);
  if (origin === undefined || rootHash === undefined)
    throw new AuditlakeError(
      "is not a checkpoint; expected three lines: the origin, the number of leaves and the root hash in base64",
    );
  const signatures = end === -1 ? [] : parseSignatures(note.slice(end + 2));
  return { origin, size: Number(size), root: rootHash, text, signatures };
}

/** Reads signature lines, each with its line end. Throws AuditlakeError. */
export function parseSignatures(lines: string): NoteSignature[] {
  const all = lines.split("\n");
  if (all.pop() !== "" || all.length === 0)
    throw new AuditlakeError("ends within a signature line; expected a newline after each");
  return all.map((line) => {
    const [, name, base64] = signaturePattern.exec(line) ?? [];
    const bytes = decodeBase64(base64);
    if (name === undefined || bytes === undefined || bytes.length <= 4)
      throw new AuditlakeError(
        'has a line that is not a signature; expected "— NAME BASE64" as of C2SP signed-note',
      );
    return {
      name,
      keyId: bytes.subarray(0, 4).toString("hex"),
      signature: bytes.subarray(4),
    };
  });
}

/** The verifier key of a public key; `type` is that of a note unless it is of a witness. */
export function newVerifierKey(
  name: string,
  publicKey: KeyObject,
  type: SignatureType = signatureTypes.note,
): VerifierKey {
  return { name, keyId: computeKeyId(name, type, exportRaw(publicKey)), type, publicKey };
}

/** A verifier key as one line of text without a line end. */
export function formatVerifierKey({ name, keyId, type, publicKey }: VerifierKey): string {
  const encoded = Buffer.concat([Buffer.of(type), exportRaw(publicKey)]).toString("base64");
  return `${name}+${keyId}+${encoded}`;
}

/** Reads a verifier key. Throws AuditlakeError, which does not name where it was given. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, keyId, base64] =
    /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  const type = Object.values(signatureTypes).find((one) => one === bytes?.[0]);
  const raw = bytes?.subarray(1);
  const isWhole = name !== undefined && namePattern.test(name) && raw?.length === keyBytes;
  if (!isWhole || type === undefined || computeKeyId(name, type, raw) !== keyId)
    throw new AuditlakeError(
      "is not an Ed25519 verifier key; expected NAME+HASH+BASE64 as `auditlake evidence init` prints it",
    );
  return { name, keyId, type, publicKey: importRaw(raw) };
}

/** Whether a checkpoint is signed by a key: `valid`, `invalid`, or `missing` where no line is of this key. */
export function checkSignature(
  { text, signatures }: Pick<Checkpoint, "text" | "signatures">,
  key: VerifierKey,
): "valid" | "invalid" | "missing" {
  const own = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  if (own.length === 0) return "missing";
  return own.every(({ signature }) => isValid(text, signature, key)) ? "valid" : "invalid";
}

function isValid(text: string, signature: Buffer, { type, publicKey }: VerifierKey): boolean {
  if (type === signatureTypes.note) return verify(null, Buffer.from(text), publicKey, signature);
  if (signature.length !== 72) return false;
  const time = signature.readBigUInt64BE(0);
  const message = `cosignature/v1\ntime ${time}\n${text}`;
  return verify(null, Buffer.from(message), publicKey, signature.subarray(8));
}

function computeKeyId(name: string, type: SignatureType, raw: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), raw]);
  return hash("sha256", bytes, "hex").slice(0, 8);
}

function exportRaw(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url");
}

function importRaw(raw: Buffer): KeyObject {
  const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") };
  return createPublicKey({ key: jwk, format: "jwk" });
}

// Node skips what is no base64; two texts of one hash would be two notes.
function decodeBase64(text: string | undefined): Buffer | undefined {
  const bytes = text === undefined ? undefined : Buffer.from(text, "base64");
  return bytes?.toString("base64") === text ? bytes : undefined;
}
