import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { isCode, getMessage, UsageError } from "../errors.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file, expected a folder",
  EISDIR: "it is a folder, expected a file",
  EACCES: "this user has no permission to read it",
  ELOOP: "its links are circular",
};

/** Describes why a file cannot be read; for rare errors in the words of the system. */
export function describeUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? getMessage(error);
}

/** Reads a file that the user named; `what` is its name in the error. Throws UsageError. */
export function readGiven(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${what} ${path}: ${describeUnreadable(error)}`);
  }
}

/** Lists the names in a folder that the user named. Throws UsageError. */
export function listGiven(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const why = isCode(error, "ENOENT")
      ? "there is no such folder"
      : isCode(error, "ENOTDIR")
        ? "it is a file, expected a folder"
        : describeUnreadable(error);
    throw new UsageError(`cannot read ${folder}: ${why}`);
  }
}

/** True for a folder that is there. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Reads a file that no flag named and that decides where keys are sent. Throws UsageError if another user owns it or
 * can write it.
 */
export function readOwn(path: string, what: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    // The opened file is checked, so that no other can take its place in between; the link to it is checked as well.
    const fault = checkForeign(fstatSync(file)) ?? checkOwner(lstatSync(path));
    if (fault === undefined) return readFileSync(file);
    throw new UsageError(
      `${what} ${path} ${fault}, but it decides where the key of the service is sent; check its content, then pass it with --config`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${what} ${path}: ${describeUnreadable(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function checkForeign(facts: Stats): string | undefined {
  const mode = facts.mode & 0o777;
  const writable = `has mode ${mode.toString(8)}: others may write to it (fix: chmod go-w)`;
  return checkOwner(facts) ?? ((mode & 0o022) === 0 ? undefined : writable);
}

// The administrator may change any file.
function checkOwner({ uid }: Stats): string | undefined {
  const user = process.getuid?.() ?? uid;
  return uid === user || uid === 0 ? undefined : `belongs to another user (id ${uid})`;
}

/** Names of a secret file and its content in errors: `key file`, `a key`. */
type SecretKind = { readonly file: string; readonly content: string };

const maxSecretBytes = 4096;

/**
 * Reads a file with a secret, without surrounding blanks. Throws UsageError, which never shows its text, if others can
 * read or change the file, if it is too long or no file.
 */
export function readSecretFile(path: string, kind: SecretKind): string {
  let file: number | undefined;
  try {
    // Checks the opened file, which cannot be replaced in between.
    file = openSync(path, "r");
    check(file, path, kind);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${kind.file} ${path}: ${getMessage(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Throws UsageError if others can read a file with a secret at the given place; `advice` names an alternative. */
export function refuseReadable(path: string, what: string, place: string, advice: string): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new UsageError(
    `${what} ${path} contains a secret (${place}) and has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it, or ${advice}`,
  );
}

function check(descriptor: number, path: string, { file, content }: SecretKind): void {
  const facts = fstatSync(descriptor);
  const mode = facts.mode & 0o777;
  if (!facts.isFile() || facts.size > maxSecretBytes)
    throw new UsageError(
      `${file} ${path} is not a file with ${content} in it; expected a file of at most ${maxSecretBytes} bytes`,
    );
  if (mode & 0o077)
    throw new UsageError(
      `${file} ${path} has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it`,
    );
  const user = process.getuid?.();
  if (user !== undefined && facts.uid !== user && facts.uid !== 0)
    throw new UsageError(
      `${file} ${path} belongs to another user, who can change it; expected a file that you own`,
    );
}
