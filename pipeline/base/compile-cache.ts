import { lstatSync, mkdirSync, statSync, type Stats } from "node:fs";
import { enableCompileCache } from "node:module";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Makes Node store compiled code, which halves the start time. Only the user can write to the folder, since its content
 * runs with the API key. Without such a folder nothing is stored. The user's own settings of Node take precedence.
 */
export function keepCompiled(env: Environment): void {
  if (env["NODE_COMPILE_CACHE"] || env["NODE_DISABLE_COMPILE_CACHE"]) return;
  const folder = findOwnCacheFolder(env);
  if (folder !== undefined) enableCompileCache(folder);
}

/** The user's own folder for what can be made again, made when missing; undefined where it cannot be trusted. */
function findOwnCacheFolder(env: Environment): string | undefined {
  const uid = process.getuid?.();
  const base = cacheBase(env);
  if (uid === undefined || base === undefined) return undefined;
  const folder = join(base, "auditlake");
  try {
    // Only the last two folders are created: a missing home directory of the user stays missing.
    makeOwn(base);
    if (!isOnlyFor(uid, statSync(base), 0o022)) return undefined;
    makeOwn(folder);
    return isOnlyFor(uid, lstatSync(folder), 0o077) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function cacheBase({ XDG_CACHE_HOME: cache, HOME: home }: Environment): string | undefined {
  if (cache !== undefined && isAbsolute(cache)) return cache;
  return home !== undefined && isAbsolute(home) ? join(home, ".cache") : undefined;
}

function makeOwn(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isOnlyFor(uid: number, stats: Stats, refused: number): boolean {
  return stats.isDirectory() && stats.uid === uid && (stats.mode & refused) === 0;
}
