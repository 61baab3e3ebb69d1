import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf, UsageError } from "./errors.ts";

/** Where everything lives below the home directory (0700, files 0600). */
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
};

/** The paths below a home directory; touches nothing. */
export function homeAt(path: string): Home {
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
  };
}

/**
 * Creates the home directory; refuses one that others may write to, or whose name the database would misread.
 * `warn` hears of one that others may read.
 */
export function createHome(home: Home, warn: (line: string) => void): void {
  const pattern = /[*?[\]]/.exec(home.root)?.[0];
  if (pattern !== undefined)
    throw new UsageError(
      `home ${home.root} has a ${pattern} in its path, which the database takes for a pattern of names; choose another directory`,
    );
  makeRoot(home.root);
  const mode = statSync(home.root).mode & 0o777;
  if (mode & 0o022)
    throw new UsageError(
      `home ${home.root} has mode ${mode.toString(8)}, expected 700: others may write to it; run chmod 700 on it`,
    );
  if (mode & 0o077)
    warn(
      `warning: home ${home.root} has mode ${mode.toString(8)}, expected 700: others may read it; run chmod 700 on it`,
    );
}

function makeRoot(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(
      `cannot make the home ${path}: ${messageOf(error)}; choose another with --home`,
    );
  }
}
