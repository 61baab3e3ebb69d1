import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../../fixtures/random.ts";
import {
  apply,
  nodesBelow,
  unsynced,
  type File,
  type Folder,
  type Node,
  type Write,
} from "./disk.ts";

// A possible disk after a power cut: what was synced, and a random part of the rest.

/** Ways in which unsynced changes go: all, none, some, all of one file or folder, all but those of one, the last torn. */
export const losses = ["all", "none", "some", "one", "all but one", "torn"] as const;
export type Loss = (typeof losses)[number];

/** What is on the disk: the content of each file, the names of each folder. */
type Kept = {
  readonly file: (file: File) => Buffer;
  readonly folder: (folder: Folder) => Map<string, Node>;
};

const blockBytes = 4096;
const sectorBytes = 512;

/** Lays out one of the states that a power cut leaves of a folder; returns what was lost, for a report. */
export function layOut(root: Folder, to: string, loss: Loss, random: Random): string {
  const nodes = nodesBelow(root);
  const open = [...nodes].filter(([node]) => unsynced(node) > 0);
  const one = open.length > 0 ? random.pick(open)[0] : undefined;
  const buildLoss = (node: Node): "all" | "none" | "some" | "torn" => {
    if (loss === "one") return node === one ? "all" : "none";
    if (loss === "all but one") return node === one ? "none" : "all";
    // A folder has no last block: its names are there or not.
    return loss === "torn" && node.kind === "folder" ? "none" : loss;
  };
  const share = random.next();
  const folders = new Map(
    [...nodes.keys()].flatMap((node) =>
      node.kind === "folder"
        ? [[node, keptEntries(node, buildLoss(node), share, random)] as const]
        : [],
    ),
  );
  writeFolder(root, to, {
    file: (file) => apply(keptWrites(file, buildLoss(file), share, random)),
    folder: (folder) => readNames(folder, folders),
  });
  const detail = loss === "one" || loss === "all but one" ? ` (${nodes.get(one ?? root)})` : "";
  return `${open.length} files and folders not synced, lost: ${loss}${detail}`;
}

/** Lays out a folder as the running system saw it, as a killed process leaves it. */
export function layOutNow(root: Folder, to: string): void {
  writeFolder(root, to, { file: ({ writes }) => apply(writes), folder: ({ now }) => now });
}

function writeFolder(folder: Folder, path: string, kept: Kept): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const [name, node] of kept.folder(folder)) {
    const place = join(path, name);
    if (node.kind === "folder") writeFolder(node, place, kept);
    else writeFileSync(place, kept.file(node), { mode: 0o600 });
  }
}

// The places of the changes that are on the disk.
function keptEntries(
  { entries, safe }: Folder,
  loss: string,
  share: number,
  random: Random,
): Set<number> {
  const all = entries.map((_, place) => place);
  if (loss === "none") return new Set(all);
  if (loss !== "some") return new Set(all.slice(0, safe));
  // Most file systems keep the order of names; not all do.
  const isOrdered = random.chance(0.7);
  const end = random.int(safe, entries.length);
  return new Set(
    all.filter((place) => place < safe || (isOrdered ? place < end : random.chance(share))),
  );
}

function readNames(folder: Folder, kept: ReadonlyMap<Folder, Set<number>>): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const place of [...kept.get(folder)!].sort((a, b) => a - b)) {
    const { names, after } = folder.entries[place]!;
    if (after !== undefined && kept.get(after.folder)?.has(after.place) !== true) continue;
    for (const [name, node] of names) {
      if (node === undefined) found.delete(name);
      else found.set(name, node);
    }
  }
  return found;
}

function keptWrites(file: File, loss: string, share: number, random: Random): Write[] {
  const { writes, safe } = file;
  if (loss === "none") return writes;
  const [before, after] = [writes.slice(0, safe), writes.slice(safe)];
  if (loss === "all" || after.length === 0) return before;
  return [...before, ...(loss === "torn" ? torn(after, random) : some(after, share, random))];
}

// All but a part of the last write: some sectors of one of its blocks, and nothing after them.
function torn(writes: readonly Write[], random: Random): Write[] {
  const last = writes.at(-1)!;
  if (last.kind === "size") return [...writes];
  const sectors = random.int(0, Math.ceil(last.bytes.length / sectorBytes) - 1);
  const bytes = last.bytes.subarray(0, sectors * sectorBytes);
  return [...writes.slice(0, -1), { ...last, bytes }];
}

// A block on the disk was in the page cache. It has the writes up to some moment, never a later without an earlier
// one. If a truncation of a file is lost, what came after it is lost, too.
function some(writes: readonly Write[], share: number, random: Random): Write[] {
  const cuts = writes.flatMap((change, place) => (change.kind === "size" ? [place] : []));
  const end = random.chance(share)
    ? writes.length
    : (cuts[random.int(0, cuts.length)] ?? writes.length);
  const lost = new Set<number>();
  const kept: Write[] = [];
  for (const change of writes.slice(0, end))
    if (change.kind === "size") kept.push(change);
    else
      for (const part of listBlocks(change)) {
        const block = Math.floor(part.offset / blockBytes);
        if (!random.chance(share)) lost.add(block);
        if (!lost.has(block)) kept.push(part);
      }
  // The length may be there without the content.
  const length = lengthAfter(writes.slice(0, end));
  return random.chance(0.5) ? kept : [...kept, { kind: "bytes", offset: length, bytes: empty }];
}

const empty = Buffer.alloc(0);

function lengthAfter(writes: readonly Write[]): number {
  return writes.reduce(
    (length, change) =>
      change.kind === "size" ? change.size : Math.max(length, change.offset + change.bytes.length),
    0,
  );
}

function* listBlocks({
  offset,
  bytes,
}: Extract<Write, { kind: "bytes" }>): Generator<Extract<Write, { kind: "bytes" }>> {
  for (let start = offset; start < offset + bytes.length;) {
    const end = Math.min(offset + bytes.length, (Math.floor(start / blockBytes) + 1) * blockBytes);
    yield { kind: "bytes", offset: start, bytes: bytes.subarray(start - offset, end - offset) };
    start = end;
  }
}
