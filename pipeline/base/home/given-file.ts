import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isCode, messageOf, UsageError } from "../errors.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file, expected a folder",
  EISDIR: "it is a folder, expected a file",
  EACCES: "this user may not read it",
  ELOOP: "its links lead in a circle",
};

/** Why a file cannot be read, in words; those of the system for what is seldom. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? messageOf(error);
}

/** The bytes of a file that somebody named; `what` is how the error calls it. Throws UsageError. */
export function readGiven(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${what} ${path}: ${whyUnreadable(error)}`);
  }
}

/** The names in a folder that somebody named. Throws UsageError. */
export function listGiven(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const why = isCode(error, "ENOENT")
      ? "there is no such folder"
      : isCode(error, "ENOTDIR")
        ? "it is a file, expected a folder"
        : whyUnreadable(error);
    throw new UsageError(`cannot read ${folder}: ${why}`);
  }
}

/** True for a folder that is there. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
