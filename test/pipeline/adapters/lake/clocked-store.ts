import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ListedFile, Store } from "../../../../pipeline/adapters/lake/store.ts";

/** A store in a folder, whose clock is that of a game; quick, since it never waits for the disk. */
export function clockedStore(root: string, clock: { readonly nowMs: number }): Store {
  const known = new Map<string, ListedFile>();
  const path = (name: string): string => join(root, name);
  const make = (name: string, write: (path: string) => void): Promise<void> => {
    mkdirSync(dirname(path(name)), { recursive: true });
    write(path(name));
    const bytes = readFileSync(path(name)).length;
    known.set(name, { name, bytes, changedMs: clock.nowMs });
    return Promise.resolve();
  };
  const put: Store["put"] = (name, bytes) => make(name, (to) => writeFileSync(to, bytes));
  return {
    place: root,
    put,
    get: (name) => Promise.resolve(known.has(name) ? readFileSync(path(name)) : undefined),
    upload: (name, file) => make(name, (to) => copyFileSync(file, to)),
    putIfAbsent: async (name, bytes) => {
      if (existsSync(path(name))) return readFileSync(path(name)).equals(bytes);
      await put(name, bytes);
      return true;
    },
    list: (prefix, after = "") => {
      const names = [...known.keys()].filter((name) => name.startsWith(prefix) && name > after);
      return Promise.resolve(names.sort().map((name) => known.get(name)!));
    },
    drafts: () => Promise.resolve([]),
    remove: (name) => {
      known.delete(name);
      rmSync(path(name), { force: true });
      return Promise.resolve();
    },
  };
}
