import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addLeaves,
  computeRoot,
  hashLeaf,
  joinPeaks,
  proveConsistency,
  proveInclusion,
  type SizedRoot,
} from "../../../../pipeline/core/evidence/tree.ts";

// The leaves and roots that implementations of RFC 6962 share as test data.
const data = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const known = data.map((hex) => hashLeaf(Buffer.from(hex, "hex")));

test("the roots are those of the shared test data", () => {
  const found = roots.map((_, size) => computeRoot(known.slice(0, size)).toString("hex"));
  expect(found).toEqual(roots);
});

test("the proofs are those of the shared test data", () => {
  const hex = (proof: readonly Buffer[]): string[] => proof.map((one) => one.toString("hex"));
  expect(hex(proveInclusion(known, 5))).toEqual([
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  ]);
  expect(hex(proveConsistency(known, 6))).toEqual([
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  ]);
});

const makeLeaves = (size: number): Buffer[] =>
  Array.from({ length: size }, (_, i) => hashLeaf(`leaf ${i}`));

const head = (leaves: readonly Buffer[]) => ({ size: leaves.length, root: computeRoot(leaves) });

test("a tree that grows has the root of the tree made at once", () => {
  fc.assert(
    fc.property(fc.nat(70), fc.nat(70), (size, more) => {
      const leaves = makeLeaves(size + more);
      const peaks = addLeaves([], 0, leaves.slice(0, size));
      const grown = joinPeaks(addLeaves(peaks, size, leaves.slice(size)));
      return grown.equals(defineRoot(leaves));
    }),
  );
});

// The definition of section 2.1, as it is written there.
function defineRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return createHash("sha256").digest();
  if (leaves.length === 1) return leaves[0]!;
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return hashNode(defineRoot(leaves.slice(0, middle)), defineRoot(leaves.slice(middle)));
}

test("each proof of inclusion is valid only for its leaf, place and tree", () => {
  for (let size = 1; size <= 33; size++) {
    const leaves = makeLeaves(size);
    const tree = head(leaves);
    for (let index = 0; index < size; index++) {
      const proof = proveInclusion(leaves, index);
      expect(isIncluded(leaves[index]!, index, tree, proof)).toBe(true);
      expect(isIncluded(hashLeaf("other"), index, tree, proof)).toBe(false);
      expect(isIncluded(leaves[index]!, index, tree, [...proof, tree.root])).toBe(false);
      if (size > 1) expect(isIncluded(leaves[index]!, index, tree, proof.slice(1))).toBe(false);
      if (index > 0) expect(isIncluded(leaves[index]!, index - 1, tree, proof)).toBe(false);
    }
  }
});

test("each proof of consistency is valid only for its two trees", () => {
  for (let size = 1; size <= 33; size++) {
    const leaves = makeLeaves(size);
    const newer = head(leaves);
    for (let old = 0; old <= size; old++) {
      const older = head(leaves.slice(0, old));
      const proof = proveConsistency(leaves, old);
      expect(isConsistent(older, newer, proof)).toBe(true);
      const fork = { size: old, root: hashLeaf("other") };
      if (old > 0) expect(isConsistent(fork, newer, proof)).toBe(false);
      expect(isConsistent(older, newer, [...proof, newer.root])).toBe(false);
      if (proof.length > 0) expect(isConsistent(older, newer, proof.slice(1))).toBe(false);
    }
  }
});

// Section 2.1.4.2 of RFC 9162, step by step.
function isConsistent(older: SizedRoot, newer: SizedRoot, proof: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === 0) return proof.length === 0;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const isFull = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isFull ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let [own, last, oldRoot, newRoot] = [older.size - 1, newer.size - 1, first, first];
  while (own % 2 === 1) [own, last] = [Math.floor(0.5 * own), Math.floor(0.5 * last)];
  for (const node of rest) {
    if (last === 0) return false;
    if (own % 2 === 1 || own === last) {
      oldRoot = hashNode(node, oldRoot);
      newRoot = hashNode(node, newRoot);
      while (own % 2 === 0 && own > 0)
        [own, last] = [Math.floor(0.5 * own), Math.floor(0.5 * last)];
    } else newRoot = hashNode(newRoot, node);
    [own, last] = [Math.floor(0.5 * own), Math.floor(0.5 * last)];
  }
  return last === 0 && oldRoot.equals(older.root) && newRoot.equals(newer.root);
}

// Section 2.1.3.2 of RFC 9162, step by step.
function isIncluded(
  leaf: Buffer,
  index: number,
  { size, root }: SizedRoot,
  proof: readonly Buffer[],
): boolean {
  if (index >= size) return false;
  let [own, last, found] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    const isRight = own % 2 === 1 || own === last;
    found = isRight ? hashNode(sibling, found) : hashNode(found, sibling);
    // A node without a sibling is passed up as it is.
    while (isRight && own % 2 === 0 && own > 0)
      [own, last] = [Math.floor(0.5 * own), Math.floor(0.5 * last)];
    [own, last] = [Math.floor(0.5 * own), Math.floor(0.5 * last)];
  }
  return last === 0 && found.equals(root);
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash("sha256").update("\u0001").update(left).update(right).digest();
}
