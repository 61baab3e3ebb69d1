import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { readEntries, scanFileLine } from "./entries.ts";
import { readHead } from "./head.ts";
import { readHeadFile } from "./outside.ts";
import {
  computeRoot,
  formatAddCheckpoint,
  formatProof,
  hashLeaf,
  proveConsistency,
  proveInclusion,
  type SizedRoot,
} from "./tree.ts";

/**
 * The request to a witness that has seen one head to sign a newer one, by their files. Throws AuditlakeError: exit code 3
 * where the newer one does not continue the older one.
 */
export function buildConsistency(landing: string, olderPath: string, newerPath: string): string {
  const [older, newer] = [readHeadFile(olderPath), readHeadFile(newerPath)];
  const hashes = readEntries(landing).lines.map(hashLeaf);
  if (older.origin !== newer.origin)
    throw new AuditlakeError(
      `${olderPath} is a head of ${older.origin}, ${newerPath} of ${newer.origin}; expected two heads of one log`,
    );
  if (older.size > newer.size)
    throw newFork(
      `${olderPath} has ${older.size} entries, more than ${newerPath} with ${newer.size}`,
    );
  if (newer.size > hashes.length)
    throw newFork(`${newerPath} has ${newer.size} entries, the log of this home ${hashes.length}`);
  for (const [path, head] of [
    [olderPath, older],
    [newerPath, newer],
  ] as const)
    if (!isOf(head, hashes)) throw newFork(`${path} is not a head of the log of this home: a fork`);
  const proof = proveConsistency(hashes.slice(0, newer.size), older.size);
  return formatAddCheckpoint(older.size, proof, newer.note);
}

/** The proof that the newest head covers a leaf, named by its index or by the id of its read. Throws AuditlakeError. */
export function buildLeafProof(landing: string, name: string): string {
  const head = readHead(landing);
  if (head === undefined)
    throw new AuditlakeError(
      "the log of this home has no head yet; the next ingest or import creates it",
    );
  const { lines } = readEntries(landing);
  const index = /^\d+$/.test(name) ? Number(name) : findRead(lines, name);
  const line = lines[index];
  if (line === undefined)
    throw new AuditlakeError(`the log of this home has no entry ${name}; it has ${lines.length}`);
  if (index >= head.size)
    throw new AuditlakeError(
      `the newest head covers ${head.size} entries, but ${name} is entry ${index}; the next run signs it`,
    );
  const hashes = lines.slice(0, head.size).map(hashLeaf);
  if (!isOf(head, hashes)) throw newFork("the head of this home does not match its entries");
  const proof = proveInclusion(hashes, index);
  return formatProof({ extra: line, index, hashes: proof, checkpoint: head.note });
}

function findRead(lines: readonly string[], readId: string): number {
  const index = lines.findLastIndex((line) => scanFileLine(line)?.path === `reads/${readId}.json`);
  if (index >= 0) return index;
  throw new AuditlakeError(
    `the log of this home has no read ${readId}; expected the name of a file in landing/reads without .json, or an index`,
  );
}

function isOf({ size, root }: SizedRoot, hashes: readonly Buffer[]): boolean {
  return size <= hashes.length && computeRoot(hashes.slice(0, size)).equals(root);
}

function newFork(message: string): AuditlakeError {
  return new AuditlakeError(message, exitCode.findings);
}
