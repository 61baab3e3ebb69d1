import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isCode } from "../../base/errors.ts";
import type { FileKind } from "./leaf.ts";

export const logFiles = {
  folder: "log",
  entries: "log/entries.ndjson",
  peaks: "log/peaks.json",
  head: "log/head",
  home: "log/home.json",
  key: "log/key.pub",
} as const;

/** The folder of each kind below landing, and what its files end with. */
export const landedFolders: Readonly<
  Record<FileKind, { folder: string; ends: readonly string[] }>
> = {
  read: { folder: "reads", ends: [".json"] },
  undo: { folder: "undone", ends: [".json"] },
  users: { folder: "users", ends: [".json.zst", ".json"] },
  policies: { folder: "policies", ends: [".json.zst", ".json"] },
  mark: { folder: "marks", ends: [".json"] },
  prune: { folder: "pruned", ends: [".json"] },
  finding: { folder: "findings", ends: [".json"] },
};

/** The entries of a log as stored. */
export type Entries = {
  /** The line of each leaf, without its line end. */
  readonly lines: string[];
  /** The bytes up to the last line end; what is behind it is a line that was cut off. */
  readonly bytes: Buffer;
  readonly isThere: boolean;
};

/** Reads the entries of a log; a home from before has none. */
export function readEntries(landing: string): Entries {
  try {
    const all = readFileSync(join(landing, logFiles.entries));
    const bytes = all.subarray(0, all.lastIndexOf("\n") + 1);
    const lines = bytes.toString("utf8").split("\n").slice(0, -1);
    return { lines, bytes, isThere: true };
  } catch (error) {
    if (isCode(error, "ENOENT")) return { lines: [], bytes: Buffer.alloc(0), isThere: false };
    throw error;
  }
}

const filePattern =
  /^\{"v":1,"index":\d+,"kind":"\w+","path":("(?:[^"\\]|\\.)*"),"sha256":"([0-9a-f]{64})"/;

/** The path and hash of a leaf's line; undefined for a program, or an invalid line. */
export function scanFileLine(line: string): { path: string; sha256: string } | undefined {
  const [, path, sha256] = filePattern.exec(line) ?? [];
  if (path === undefined || sha256 === undefined) return undefined;
  return { path: path.includes("\\") ? (JSON.parse(path) as string) : path.slice(1, -1), sha256 };
}
