import { basename, dirname, resolve, sep } from "node:path";
import { toBytes, buildDescriptor, buildPayload, type Call, type Moment } from "./calls.ts";
import {
  readContent,
  enter,
  newFile,
  newFolder,
  resize,
  unsynced,
  write,
  type File,
  type Folder,
  type Node,
} from "./disk.ts";

/** The calls that are recorded; what else changes files makes a recording fail. */
export const recorded =
  "open,openat,creat,close,lseek,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync,syncfs,sync_file_range,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,mkdir,mkdirat,ftruncate,truncate,fallocate,copy_file_range,sendfile,splice,ioctl,mmap,dup,dup2,dup3,fcntl";

/** A disk that follows the calls of processes, one after the other. */
export type Replay = {
  /** The folder that the recording is about; its own name is safe. */
  readonly root: Folder;
  /** Takes a call's begin or end; returns whether it was about this disk. */
  readonly take: (moment: Moment) => boolean;
  /** Processes that start again have no open files. */
  readonly newProcesses: () => void;
};

type Opened = { readonly node: Node; position: number; readonly isAppending: boolean };

export function newReplay(path: string): Replay {
  const root = newFolder();
  const processes = new Map<string, Map<number, Opened>>();
  const disk: Disk = { root, path, opened: new Map(), early: [], syncs: new Map() };
  return {
    root,
    take: ({ call, at }) => {
      disk.opened = processes.get(call.process) ?? new Map<number, Opened>();
      processes.set(call.process, disk.opened);
      return at === "begin" ? beginning(disk, call) : ending(disk, call);
    },
    newProcesses: () => processes.clear(),
  };
}

type Disk = {
  readonly root: Folder;
  readonly path: string;
  /** Open files of the process that calls. */
  opened: Map<number, Opened>;
  /** What was made in folders whose own making has not ended yet. */
  early: { readonly path: string; readonly node: Node }[];
  /** How much of a file a sync that is under way covers. */
  readonly syncs: Map<Call, { readonly node: Node; readonly covered: number }>;
};

function beginning(disk: Disk, call: Call): boolean {
  if (call.result < 0) return false;
  if (call.name === "fsync" || call.name === "fdatasync") {
    const node = buildOpened(disk, call.args[0]!)?.node;
    if (node === undefined) return false;
    disk.syncs.set(call, { node, covered: node.safe + unsynced(node) });
  }
  // Another thread may be given the number before the call returns.
  if (call.name === "close") disk.opened.delete(buildDescriptor(call.args[0]!).fd);
  return false;
}

function ending(disk: Disk, call: Call): boolean {
  if (call.result < 0) return false;
  const sync = disk.syncs.get(call);
  if (sync !== undefined) {
    sync.node.safe = Math.max(sync.node.safe, sync.covered);
    return disk.syncs.delete(call);
  }
  return takers[call.name]?.(disk, call) ?? false;
}

type Taker = (disk: Disk, call: Call) => boolean;

const takers: Readonly<Record<string, Taker>> = {
  open: (disk, call) => open(disk, call, absolute(undefined, call.args[0]!), call.args[1]!),
  creat: (disk, call) => open(disk, call, absolute(undefined, call.args[0]!), "O_CREAT|O_TRUNC"),
  openat: (disk, call) => open(disk, call, absolute(call.args[0], call.args[1]!), call.args[2]!),
  lseek: (disk, call) => {
    const opened = buildOpened(disk, call.args[0]!);
    if (opened !== undefined) opened.position = call.result;
    return false;
  },
  write: (disk, call) => append(disk, call),
  writev: (disk, call) => append(disk, call),
  pwrite64: (disk, call) => at(disk, call, Number(call.args.at(-1))),
  pwritev: (disk, call) => at(disk, call, Number(call.args.at(-1))),
  pwritev2: (disk, call) => at(disk, call, Number(call.args.at(-2))),
  copy_file_range: (disk, { args, result }) =>
    copy(disk, { fd: args[0]!, at: args[1]! }, { fd: args[2]!, at: args[3]! }, result),
  sendfile: (disk, { args, result }) =>
    copy(disk, { fd: args[1]!, at: args[2]! }, { fd: args[0]!, at: "NULL" }, result),
  ioctl: clone,
  ftruncate: (disk, { args }) => {
    const file = openedFile(disk, args[0]!);
    if (file !== undefined) resize(file, Number(args[1]));
    return file !== undefined;
  },
  truncate: (disk, { args }) => {
    const node = nodeAt(disk, absolute(undefined, args[0]!));
    if (node?.kind === "file") resize(node, Number(args[1]));
    return node?.kind === "file";
  },
  fallocate: (disk, { args }) => {
    const file = openedFile(disk, args[0]!);
    if (file === undefined) return false;
    if (args[1] !== "0") return unforeseen("fallocate", args[1]!);
    resize(file, Math.max(file.size, Number(args[2]) + Number(args[3])));
    return true;
  },
  rename: (disk, { args }) =>
    move(disk, absolute(undefined, args[0]!), absolute(undefined, args[1]!)),
  renameat: (disk, { args }) =>
    move(disk, absolute(args[0], args[1]!), absolute(args[2], args[3]!)),
  renameat2: (disk, { args }) =>
    move(disk, absolute(args[0], args[1]!), absolute(args[2], args[3]!)),
  link: (disk, { args }) =>
    link(disk, absolute(undefined, args[0]!), absolute(undefined, args[1]!)),
  linkat: (disk, { args }) => link(disk, absolute(args[0], args[1]!), absolute(args[2], args[3]!)),
  unlink: (disk, { args }) => remove(disk, absolute(undefined, args[0]!)),
  rmdir: (disk, { args }) => remove(disk, absolute(undefined, args[0]!)),
  unlinkat: (disk, { args }) => remove(disk, absolute(args[0], args[1]!)),
  mkdir: (disk, { args }) => make(disk, absolute(undefined, args[0]!), newFolder()),
  mkdirat: (disk, { args }) => make(disk, absolute(args[0], args[1]!), newFolder()),
  symlink: (disk, { args }) =>
    isOurs(disk, absolute(undefined, args[1]!)) && unforeseen("symlink", args[1]!),
  symlinkat: (disk, { args }) =>
    isOurs(disk, absolute(args[1], args[2]!)) && unforeseen("symlink", args[2]!),
  // Memory that is shared with a file is written without a call.
  mmap: (disk, { args }) => {
    const isWritten = args[2]!.includes("PROT_WRITE") && args[3]!.includes("MAP_SHARED");
    return isWritten && buildOpened(disk, args[4]!) !== undefined && unforeseen("mmap", args[4]!);
  },
  splice: (disk, { args }) =>
    buildOpened(disk, args[2]!) !== undefined && unforeseen("splice", args[2]!),
  dup: duplicate,
  dup2: duplicate,
  dup3: duplicate,
  fcntl: (disk, call) => (call.args[1]!.startsWith("F_DUPFD") ? duplicate(disk, call) : false),
};

function unforeseen(name: string, what: string): never {
  throw new Error(`the recording knows no ${name}: ${what}`);
}

function open(disk: Disk, call: Call, path: string, flags: string): boolean {
  const { result: fd } = call;
  disk.opened.delete(fd);
  if (path !== disk.path && !isOurs(disk, path)) return false;
  const known = nodeAt(disk, path);
  const node = known ?? newFile();
  if (known === undefined) make(disk, path, node);
  const isEmptied = known?.kind === "file" && flags.includes("O_TRUNC") && known.size > 0;
  if (isEmptied) resize(known, 0);
  disk.opened.set(fd, { node, position: 0, isAppending: flags.includes("O_APPEND") });
  return known === undefined || isEmptied;
}

function duplicate(disk: Disk, { args, result }: Call): boolean {
  const opened = buildOpened(disk, args[0]!);
  if (opened === undefined) disk.opened.delete(result);
  else disk.opened.set(result, opened);
  return false;
}

function append(disk: Disk, call: Call): boolean {
  const opened = buildOpened(disk, call.args[0]!);
  if (opened?.node.kind !== "file") return false;
  const offset = opened.isAppending ? opened.node.size : opened.position;
  write(opened.node, offset, buildPayload(call).subarray(0, call.result));
  opened.position = offset + call.result;
  return true;
}

function at(disk: Disk, call: Call, offset: number): boolean {
  // A negative one means the position of the file.
  if (offset < 0) return append(disk, call);
  const file = openedFile(disk, call.args[0]!);
  if (file !== undefined) write(file, offset, buildPayload(call).subarray(0, call.result));
  return file !== undefined;
}

// A file as a call names it; NULL means that it continues from its position.
type Place = { readonly fd: string; readonly at: string };

function copy(disk: Disk, from: Place, to: Place, length: number): boolean {
  const target = buildOpened(disk, to.fd);
  if (target?.node.kind !== "file") return false;
  const source = buildOpened(disk, from.fd);
  if (source?.node.kind !== "file")
    return unforeseen("copy from elsewhere", buildDescriptor(from.fd).path);
  const start = computeOffset(from.at) ?? source.position;
  const offset = computeOffset(to.at) ?? target.position;
  write(target.node, offset, readContent(source.node).subarray(start, start + length));
  if (from.at === "NULL") source.position += length;
  if (to.at === "NULL") target.position += length;
  return true;
}

function clone(disk: Disk, { args }: Call): boolean {
  if (!args[1]!.includes("FICLONE")) return false;
  const [target, source] = [
    openedFile(disk, args[0]!),
    openedFile(disk, `${parseInt(args[2]!)}<>`),
  ];
  if (target === undefined || source === undefined) return false;
  write(target, 0, readContent(source));
  return true;
}

function computeOffset(arg: string): number | undefined {
  return arg === "NULL" ? undefined : Number(/\d+/.exec(arg)?.[0]);
}

function move(disk: Disk, from: string, to: string): boolean {
  const [source, target] = [readParent(disk, from), readParent(disk, to)];
  const node = source?.now.get(basename(from));
  if (source === undefined && target === undefined) return false;
  if (source === undefined || target === undefined || node === undefined)
    return unforeseen("rename into or out of the folder", `${from} to ${to}`);
  if (source === target) {
    enter(
      source,
      new Map([
        [basename(from), undefined],
        [basename(to), node],
      ]),
    );
    return true;
  }
  const place = enter(target, new Map([[basename(to), node]]));
  enter(source, new Map([[basename(from), undefined]]), { folder: target, place });
  return true;
}

function link(disk: Disk, from: string, to: string): boolean {
  const node = nodeAt(disk, from);
  return node !== undefined && make(disk, to, node);
}

function remove(disk: Disk, path: string): boolean {
  const folder = readParent(disk, path);
  if (folder === undefined) return false;
  enter(folder, new Map([[basename(path), undefined]]));
  return true;
}

function make(disk: Disk, path: string, node: Node): boolean {
  const folder = readParent(disk, path);
  if (folder === undefined) {
    // Of two threads that make folders at once, the one within may be printed first.
    if (isOurs(disk, path)) disk.early.push({ path, node });
    return false;
  }
  enter(folder, new Map([[basename(path), node]]));
  const early = disk.early;
  disk.early = [];
  for (const each of early) make(disk, each.path, each.node);
  return true;
}

function buildOpened(disk: Disk, arg: string): Opened | undefined {
  return disk.opened.get(buildDescriptor(arg).fd);
}

function openedFile(disk: Disk, arg: string): File | undefined {
  const node = buildOpened(disk, arg)?.node;
  return node?.kind === "file" ? node : undefined;
}

function absolute(folder: string | undefined, path: string): string {
  const text = toBytes(path).toString("utf8");
  return folder === undefined ? resolve(text) : resolve(buildDescriptor(folder).path, text);
}

function isOurs({ path: root }: Disk, path: string): boolean {
  return path.startsWith(root + sep);
}

function readParent(disk: Disk, path: string): Folder | undefined {
  const node = isOurs(disk, path) ? nodeAt(disk, dirname(path)) : undefined;
  return node?.kind === "folder" ? node : undefined;
}

function nodeAt({ root, path: rootPath }: Disk, path: string): Node | undefined {
  if (path === rootPath) return root;
  if (!path.startsWith(rootPath + sep)) return undefined;
  let node: Node | undefined = root;
  for (const name of path.slice(rootPath.length + 1).split(sep))
    node = node?.kind === "folder" ? node.now.get(name) : undefined;
  return node;
}
