import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Home } from "./layout.ts";

/** A database of an earlier version that an upgrade has kept. */
export type OldStore = { readonly path: string; readonly bytes: number };

/** The databases of earlier versions in a home, oldest first. */
export function oldStores({ root, warehouse }: Home): OldStore[] {
  const prefix = `${basename(warehouse)}.version-1-`;
  const names = readdirSync(root).filter((name) => name.startsWith(prefix));
  return names.sort().map((name) => {
    const path = join(root, name);
    return { path, bytes: statSync(path).size };
  });
}
