import { hash } from "node:crypto";

// Merkle tree of RFC 6962, section 2.1: a leaf is hashed behind a zero byte, two nodes behind a one.

const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)];

/** The hash of a leaf: that of its data, the bytes of its line without the line end. */
export function hashLeaf(data: Buffer | string): Buffer {
  return sha256([leafPrefix, Buffer.from(data)]);
}

/** The root of the tree over these leaf hashes, the hash of nothing for none. */
export function computeRoot(leaves: readonly Buffer[]): Buffer {
  return joinPeaks(addLeaves([], 0, leaves));
}

/**
 * The peaks of a tree that grows: the roots of its largest full subtrees, from left to right. With `peaks` of the first
 * `size` leaves, the next ones cost as much as they are many.
 */
export function addLeaves(
  peaks: readonly Buffer[],
  size: number,
  leaves: readonly Buffer[],
): readonly Buffer[] {
  const stack = [...peaks];
  let count = size;
  for (const leaf of leaves) {
    stack.push(leaf);
    count += 1;
    for (let level = count; level % 2 === 0; level /= 2) {
      const right = stack.pop()!;
      stack.push(hashNode(stack.pop()!, right));
    }
  }
  return stack;
}

/** The root of the tree with these peaks. */
export function joinPeaks(peaks: readonly Buffer[]): Buffer {
  const last = peaks.at(-1);
  if (last === undefined) return sha256([]);
  return peaks.slice(0, -1).reduceRight((right, left) => hashNode(left, right), last);
}

/** The inclusion proof of a leaf (section 2.1.1), from its sibling to the child of the root. */
export function proveInclusion(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length <= 1) return [];
  const middle = splitSize(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...proveInclusion(left, index), computeRoot(right)]
    : [...proveInclusion(right, index - middle), computeRoot(left)];
}

/** Whether a proof shows that the tree of `size` leaves under a root has this leaf at this place. */
export function isIncluded(
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
    while (isRight && own % 2 === 0 && own > 0) [own, last] = [halve(own), halve(last)];
    [own, last] = [halve(own), halve(last)];
  }
  return last === 0 && found.equals(root);
}

/** A tree: how many leaves, and its root. */
export type SizedRoot = { readonly size: number; readonly root: Buffer };

/** The consistency proof between the first `oldSize` of these leaves and all of them (section 2.1.2). */
export function proveConsistency(leaves: readonly Buffer[], oldSize: number): Buffer[] {
  if (oldSize === 0 || oldSize >= leaves.length) return [];
  return proveSubtree(leaves, oldSize, true);
}

function proveSubtree(leaves: readonly Buffer[], oldSize: number, isWhole: boolean): Buffer[] {
  if (oldSize === leaves.length) return isWhole ? [] : [computeRoot(leaves)];
  const middle = splitSize(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return oldSize <= middle
    ? [...proveSubtree(left, oldSize, isWhole), computeRoot(right)]
    : [...proveSubtree(right, oldSize - middle, false), computeRoot(left)];
}

/** Whether a proof shows that the newer tree begins with all leaves of the older one. */
export function isConsistent(
  older: SizedRoot,
  newer: SizedRoot,
  proof: readonly Buffer[],
): boolean {
  if (older.size > newer.size) return false;
  if (older.size === 0) return proof.length === 0;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const isFull = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isFull ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let [own, last, oldRoot, newRoot] = [older.size - 1, newer.size - 1, first, first];
  while (own % 2 === 1) [own, last] = [halve(own), halve(last)];
  for (const node of rest) {
    if (last === 0) return false;
    if (own % 2 === 1 || own === last) {
      oldRoot = hashNode(node, oldRoot);
      newRoot = hashNode(node, newRoot);
      while (own % 2 === 0 && own > 0) [own, last] = [halve(own), halve(last)];
    } else newRoot = hashNode(newRoot, node);
    [own, last] = [halve(own), halve(last)];
  }
  return last === 0 && oldRoot.equals(older.root) && newRoot.equals(newer.root);
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return sha256([nodePrefix, left, right]);
}

function sha256(parts: readonly Buffer[]): Buffer {
  return hash("sha256", Buffer.concat(parts), "buffer");
}

// The largest power of two below a number of leaves.
function splitSize(size: number): number {
  let middle = 1;
  while (middle * 2 < size) middle *= 2;
  return middle;
}

function halve(index: number): number {
  return Math.floor(index / 2);
}
