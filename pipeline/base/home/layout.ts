import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder, syncFolder } from "./durable.ts";
import { getMessage, UsageError } from "../errors.ts";
import { closeAllBut, giveToGroup } from "./readers.ts";

// The library of the lock takes no path of more than 512 bytes.
const maxPathBytes = 400;

// The group enters the home and cannot list it.
const traversable = 0o710;

/** Paths below the home directory: 0700, or 0710 for a group of readers; files 0600. */
export type Home = {
  readonly root: string;
  readonly landing: string;
  readonly staging: string;
  /** The writer's file: only a load opens it. */
  readonly warehouse: string;
  /** The read-only copy that every reader opens. */
  readonly published: string;
  /** The copy on its way to being published. */
  readonly draft: string;
  readonly lock: string;
  /** Id of the group that may read the published file beside the owner; undefined for none. */
  readonly readers?: number | undefined;
};

/** The paths below a home directory; touches nothing. */
export function resolveHome(path: string, readers?: number): Home {
  const root = resolve(path);
  return {
    root,
    landing: join(root, "landing"),
    staging: join(root, "staging"),
    warehouse: join(root, "warehouse.duckdb"),
    published: join(root, "audit.duckdb"),
    // Not `.tmp`: the database gives that name to the folder that other programs' queries spill to.
    draft: join(root, "audit.duckdb.new"),
    lock: join(root, "run.lock"),
    readers,
  };
}

/**
 * Creates the home directory; refuses a directory that others can write, or a name that the database would misread.
 * `warn` takes the facts of a directory that others can read.
 */
export async function createHome(
  home: Home,
  warn: (facts: { readonly home: string; readonly mode: string }) => void,
): Promise<void> {
  const pattern = /[*?[\]\\]/.exec(home.root)?.[0];
  if (pattern !== undefined)
    throw new UsageError(
      `home ${home.root} has a ${pattern} in its path, which the database interprets as a file name pattern; choose another directory`,
    );
  const bytes = Buffer.byteLength(home.root);
  if (bytes > maxPathBytes)
    throw new UsageError(
      `the path of the home has ${bytes} bytes, expected at most ${maxPathBytes}; choose a shorter one with --home`,
    );
  await makeRoot(home.root);
  if (home.readers !== undefined) {
    closeAllBut(home.published, home.root);
    giveToGroup(home.root, home.readers, traversable);
  }
  const mode = statSync(home.root).mode & 0o777;
  if (mode & 0o022)
    throw new UsageError(
      `home ${home.root} has mode ${mode.toString(8)}, expected 700: others may write to it; run chmod 700 on it`,
    );
  if (mode & 0o077 && home.readers === undefined) warn({ home: home.root, mode: mode.toString(8) });
  await syncAbove(home);
}

async function makeRoot(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    throw new UsageError(
      `cannot create the home ${path}: ${getMessage(error)}; choose another with --home`,
    );
  }
}

// A killed first run may have made some parent folders without syncing them. A published file proves that a later run
// synced them.
async function syncAbove({ root, published }: Home): Promise<void> {
  if (existsSync(published)) return;
  for (let made = root; dirname(made) !== made; made = dirname(made))
    await syncFolder(dirname(made));
}

/** A database of an earlier version that an upgrade retained. */
export type OldStore = { readonly path: string; readonly bytes: number };

/** The databases of earlier versions in a home, oldest first. */
export function listOldStores({ root, warehouse }: Home): OldStore[] {
  const prefix = `${basename(warehouse)}.version-1-`;
  const names = readdirSync(root).filter((name) => name.startsWith(prefix));
  return names.sort().map((name) => {
    const path = join(root, name);
    return { path, bytes: statSync(path).size };
  });
}
