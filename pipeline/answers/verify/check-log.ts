import { AuditlakeError, getMessage } from "../../base/errors.ts";
import {
  type Checkpoint,
  checkSignature,
  parseCheckpoint,
  parseVerifierKey,
  type VerifierKey,
} from "../../core/evidence/checkpoint.ts";
import { readEntries } from "../../core/evidence/entries.ts";
import { readHead } from "../../core/evidence/head.ts";
import { readKeyCopy } from "../../core/evidence/key.ts";
import { type Leaf, parseLeaf } from "../../core/evidence/leaf.ts";
import { computeRoot, hashLeaf } from "../../core/evidence/tree.ts";
import { Mismatch } from "./verdict.ts";

/** A head, and what messages call it. */
type NamedHead = { readonly head: Checkpoint; readonly name: string };

/** The log of a home, with the heads and the key that it is compared with. */
export type LogQuestion = {
  readonly landing: string;
  /** Of the description. */
  readonly head: string;
  readonly publicKey: string | null;
  /** A head that the auditor has from elsewhere, and a verifier key. */
  readonly outsideHead: string | undefined;
  readonly outsideKey: string | undefined;
};

/** A log that agrees with all heads. */
export type CheckedLog = {
  readonly head: Checkpoint;
  readonly leaves: readonly Leaf[];
  /** Why the head rests on the home alone; undefined where a signed head from elsewhere covers it. */
  readonly weakness: string | undefined;
};

/** Reads the log and the head of the description: origin, signature and entries. Throws Mismatch, AuditlakeError. */
export function checkLog(question: LogQuestion): CheckedLog {
  const { landing } = question;
  const key = chooseKey(question);
  const head = readNote(question.head, "the head of the description");
  const own = { head, name: "the head of the description" };
  checkOrigin(own, key);
  const { isThere, lines } = readEntries(landing);
  if (!isThere)
    throw new AuditlakeError(`${landing}/log/entries.ndjson does not exist: this home has no log`);
  const leaves = readLeaves(lines);
  checkEntries(lines, own);
  const newest = readHead(landing);
  if (newest !== undefined) {
    const stored = { head: newest, name: "the stored head" };
    checkOrigin(stored, key, head.origin);
    checkEntries(lines, stored);
  }
  return { head, leaves, weakness: undefined };
}

/** Compares the head from elsewhere with the log, also if it is smaller. Throws Mismatch. */
export function checkOutsideHead(question: LogQuestion, { head, leaves }: CheckedLog): CheckedLog {
  const { outsideHead, landing } = question;
  if (outsideHead === undefined)
    return { head, leaves, weakness: "no head from elsewhere was given" };
  const outside = readNote(outsideHead, "the head from elsewhere");
  const named = { head: outside, name: "the head from elsewhere" };
  checkOrigin(named, chooseKey(question), head.origin);
  checkEntries(readEntries(landing).lines, named);
  return { head, leaves, weakness: describeWeakness(head, outside, leaves) };
}

function describeWeakness(
  head: Checkpoint,
  outside: Checkpoint,
  leaves: readonly Leaf[],
): string | undefined {
  if (outside.size < head.size)
    return `the head from elsewhere reaches to ${leaves[outside.size - 1]?.at ?? "no entry"}`;
  if (head.signatures.length === 0) return "the head of the description is not signed";
  return outside.signatures.length === 0 ? "the head from elsewhere is not signed" : undefined;
}

// The key that the auditor has comes first; the others are claims of the home.
function chooseKey({ landing, publicKey, outsideKey }: LogQuestion): VerifierKey | undefined {
  const all = [outsideKey, publicKey, readKeyCopy(landing)].flatMap((text) => text?.trim() ?? []);
  if (new Set(all).size > 1)
    throw new Mismatch(
      "log changed",
      "the description, the home and --public-key do not name one key",
    );
  try {
    return all[0] === undefined ? undefined : parseVerifierKey(all[0]);
  } catch (error) {
    throw new Mismatch("log changed", `the public key ${getMessage(error)}`);
  }
}

function readNote(note: string, name: string): Checkpoint {
  try {
    return parseCheckpoint(note);
  } catch (error) {
    throw new Mismatch("log changed", `${name} ${getMessage(error)}`);
  }
}

function checkOrigin(
  { head, name }: NamedHead,
  key: VerifierKey | undefined,
  origin = key?.name,
): void {
  if (origin !== undefined && head.origin !== origin)
    throw new Mismatch("log changed", `${name} is of ${head.origin}, expected ${origin}`);
  if (head.signatures.length === 0) return;
  const state = key === undefined ? "missing" : checkSignature(head, key);
  if (state === "valid") return;
  const fault = state === "invalid" ? "a signature that is not valid" : "no signature of the key";
  throw new Mismatch("log changed", `${name} has ${fault}`);
}

function readLeaves(lines: readonly string[]): Leaf[] {
  return lines.map((line, place) => {
    const leaf = parseLeaf(line);
    if (leaf === undefined) throw new Mismatch("log changed", `entry ${place} cannot be read`);
    if (leaf.index !== place)
      throw new Mismatch(
        "log changed",
        `entry ${place} is missing: entry ${leaf.index} is in its place`,
      );
    return leaf;
  });
}

function checkEntries(lines: readonly string[], { head: { size, root }, name }: NamedHead): void {
  if (lines.length < size)
    throw new Mismatch(
      "log changed",
      `entries ${lines.length} to ${size - 1} of ${name} are missing`,
    );
  if (!computeRoot(lines.slice(0, size).map(hashLeaf)).equals(root))
    throw new Mismatch("log changed", `the first ${size} entries are not those of ${name}`);
}
