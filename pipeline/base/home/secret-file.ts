import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { UsageError, messageOf } from "../errors.ts";

/** How errors call a file with a secret and what is in it: `key file`, `a key`. */
export type SecretKind = { readonly file: string; readonly content: string };

const maxSecretBytes = 4096;

/**
 * The text of a file that holds a secret, blanks around it left out. Throws UsageError, which never shows any of
 * it, on a file that others may read or change, that is too long, or that is none.
 */
export function readSecretFile(path: string, kind: SecretKind): string {
  let file: number | undefined;
  try {
    // The opened file is what is checked, so that nobody can put another in its place in between.
    file = openSync(path, "r");
    check(file, path, kind);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${kind.file} ${path}: ${messageOf(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Throws UsageError where others may read a file that holds a secret in the place named; `advice` says how to do
 * without.
 */
export function refuseReadable(path: string, what: string, place: string, advice: string): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new UsageError(
    `${what} ${path} holds a secret (${place}) and has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it, or ${advice}`,
  );
}

function check(descriptor: number, path: string, { file, content }: SecretKind): void {
  const facts = fstatSync(descriptor);
  const mode = facts.mode & 0o777;
  if (!facts.isFile() || facts.size > maxSecretBytes)
    throw new UsageError(
      `${file} ${path} is no file with ${content} in it; expected a file of at most ${maxSecretBytes} bytes`,
    );
  if (mode & 0o077)
    throw new UsageError(
      `${file} ${path} has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it`,
    );
  const user = process.getuid?.();
  if (user !== undefined && facts.uid !== user && facts.uid !== 0)
    throw new UsageError(
      `${file} ${path} belongs to another user, who may change it; expected a file of your own`,
    );
}
