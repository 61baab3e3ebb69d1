import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Change } from "../../../pipeline/core/store/publish.ts";

// usage: child.ts HOME STEP SEED CHANGE: publishes the warehouse of a home after a run that did CHANGE, and ends by
// SIGKILL at a step, that is a change of a file or a folder. With a seed other than 0 the power is cut: each write
// that was not synced is kept, torn or lost at random, and the last names of the folder may be lost.

type Undo = () => void;

const [root, step, seed, change] = process.argv.slice(2) as [string, string, string, Change];
let left = Number(step);
let state = Number(seed) || 1;
const real = { ...fs };
const unsynced = new Map<number, ((lost: number) => void)[]>();
const names: Undo[] = [];

function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

function count(): void {
  left -= 1;
  if (left > 0) return;
  if (seed !== "0") {
    loseWrites([...unsynced.values()].flat());
    const kept = Math.floor(random() * (names.length + 1));
    for (const undo of names.slice(kept).toReversed()) undo();
  }
  process.kill(process.pid, "SIGKILL");
}

// Each write at random, or only one of them: a torn block below an intact header.
function loseWrites(writes: readonly ((kept: number) => void)[]): void {
  const only = random() < 0.5 ? Math.floor(random() * writes.length) : undefined;
  for (const [i, undo] of [...writes.entries()].toReversed()) {
    const kept = random() < 0.5 ? 0 : random() / 2;
    undo(only === undefined ? (random() < 0.3 ? 1 : kept) : i === only ? 0.1 : 1);
  }
}

// Records how to undo a write of which the disk has a part, from its start.
function noteWrite(given: number, at: number, bytes: number): void {
  // Another descriptor: the program closes its own before the file is synced.
  const file = real.openSync(`/proc/self/fd/${given}`, "r+");
  const before = Buffer.alloc(bytes);
  const { atimeMs, mtimeMs } = real.fstatSync(file);
  const had = real.readSync(file, before, 0, bytes, at);
  const undo = (kept: number): void => {
    const from = Math.floor(had * kept);
    real.writeSync(file, before, from, had - from, at + from);
    // The time of the last write is on the disk no sooner than the write itself.
    real.futimesSync(file, atimeMs / 1000, mtimeMs / 1000);
  };
  unsynced.set(file, [...(unsynced.get(file) ?? []), undo]);
}

Object.assign(fs, {
  renameSync: (from: string, to: string) => {
    count();
    real.renameSync(from, to);
    names.push(() => real.renameSync(to, from));
  },
  linkSync: (from: string, to: string) => {
    count();
    real.linkSync(from, to);
    names.push(() => real.rmSync(to));
  },
  writeSync: (file: number, part: Buffer, from: number, bytes: number, at: number) => {
    count();
    noteWrite(file, at, bytes);
    return real.writeSync(file, part, from, bytes, at);
  },
});
const { open, rename } = fs.promises;
Object.assign(fs.promises, {
  rename: async (from: string, to: string) => {
    count();
    const former = `${root}.former`;
    real.rmSync(former, { force: true });
    if (real.existsSync(to)) real.linkSync(to, former);
    await rename(from, to);
    names.push(() => {
      real.renameSync(to, from);
      if (real.existsSync(former)) real.renameSync(former, to);
    });
  },
  open: async (path: string, ...rest: []) => {
    const handle = await open(path, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      count();
      await sync();
      if (real.statSync(path).isDirectory()) names.length = 0;
      else unsynced.clear();
    };
    return handle;
  },
});
syncBuiltinESMExports();

const { publishHome } = await import("./publish.ts");
await publishHome(root, change);
process.stdout.write(`${Number(step) - left} steps\n`);
