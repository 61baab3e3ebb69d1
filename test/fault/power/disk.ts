// A disk behind a page cache. Every file and folder records its changes in order, and how many of them were synced.
// By POSIX a file's content is safe after its own sync, and its name after that of its folder.

/** A change of a file's content. */
export type Write =
  | { readonly kind: "bytes"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "size"; readonly size: number };

/** A change of a folder's names, atomic. A renamed file has its new name before it loses the old one. */
export type Entry = {
  readonly names: ReadonlyMap<string, Node | undefined>;
  readonly after?: { readonly folder: Folder; readonly place: number };
};

export type File = { readonly kind: "file"; readonly writes: Write[]; safe: number; size: number };
export type Folder = {
  readonly kind: "folder";
  readonly entries: Entry[];
  /** As the running system sees it. */
  readonly now: Map<string, Node>;
  safe: number;
};
export type Node = File | Folder;

export function newFile(): File {
  return { kind: "file", writes: [], safe: 0, size: 0 };
}

export function newFolder(): Folder {
  return { kind: "folder", entries: [], now: new Map(), safe: 0 };
}

/** The changes that no sync has made safe. */
export function unsynced(node: Node): number {
  return (node.kind === "file" ? node.writes : node.entries).length - node.safe;
}

/** Changes names of a folder; returns the place of the change. */
export function enter(
  folder: Folder,
  names: ReadonlyMap<string, Node | undefined>,
  after?: Entry["after"],
): number {
  for (const [name, node] of names) {
    if (node === undefined) folder.now.delete(name);
    else folder.now.set(name, node);
  }
  return folder.entries.push(after === undefined ? { names } : { names, after }) - 1;
}

export function write(file: File, offset: number, bytes: Buffer): void {
  file.writes.push({ kind: "bytes", offset, bytes });
  file.size = Math.max(file.size, offset + bytes.length);
}

export function resize(file: File, size: number): void {
  file.writes.push({ kind: "size", size });
  file.size = size;
}

/** The content as the running system sees it. */
export function readContent(file: File): Buffer {
  return apply(file.writes);
}

/** The content after some changes, holes filled with zeros. */
export function apply(writes: readonly Write[]): Buffer {
  let size = 0;
  let most = 0;
  for (const change of writes) {
    size =
      change.kind === "size" ? change.size : Math.max(size, change.offset + change.bytes.length);
    most = Math.max(most, size);
  }
  const content = Buffer.alloc(most);
  let end = 0;
  for (const change of writes) {
    if (change.kind === "bytes") {
      change.bytes.copy(content, change.offset);
      end = Math.max(end, change.offset + change.bytes.length);
    } else {
      // A truncated part is lost, even if the file grows again.
      if (change.size < end) content.fill(0, change.size, end);
      end = change.size;
    }
  }
  return content.subarray(0, size);
}

/** All files and folders that may yet be found from a folder, each once with its first path. */
export function nodesBelow(root: Folder): Map<Node, string> {
  const found = new Map<Node, string>();
  const visit = (node: Node, path: string): void => {
    if (found.has(node)) return;
    found.set(node, path);
    if (node.kind === "file") return;
    for (const { names } of node.entries)
      for (const [name, child] of names) if (child !== undefined) visit(child, `${path}/${name}`);
  };
  visit(root, "");
  return found;
}
