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
 * Returns the peaks of a growing tree: the roots of its largest full subtrees, from left to right. With the `peaks` of
 * the first `size` leaves, the cost depends only on the number of new leaves.
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

// Formats of C2SP: a proof that a checkpoint covers a leaf (tlog-proof), and a request to a witness (tlog-witness).

/** A proof of inclusion: the leaf's data as `extra`, its index, the hashes, and the checkpoint byte by byte. */
type TlogProof = {
  readonly extra: string;
  readonly index: number;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: string;
};

const firstLine = "c2sp.org/tlog-proof@v1";
export function formatProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const encoded = Buffer.from(extra).toString("base64");
  return `${firstLine}\nextra ${encoded}\nindex ${index}\n${formatHashes(hashes)}\n${checkpoint}`;
}

/** The body of a request to a witness: the size it has seen, the consistency proof, and the new checkpoint. */
export function formatAddCheckpoint(
  oldSize: number,
  hashes: readonly Buffer[],
  checkpoint: string,
): string {
  return `old ${oldSize}\n${formatHashes(hashes)}\n${checkpoint}`;
}

function formatHashes(hashes: readonly Buffer[]): string {
  return hashes.map((one) => `${one.toString("base64")}\n`).join("");
}
