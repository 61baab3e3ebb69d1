import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError, messageOf } from "../errors.ts";

/** Where a source's key comes from. */
export type KeySource = {
  readonly api_key_env: string;
  readonly api_key_file?: string | undefined;
};

const maxKeyBytes = 4096;

/** The key of a source, from its file or its environment variable; an error never shows any of it. */
export function readKey(
  source: KeySource,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { api_key_env: name, api_key_file: file } = source;
  const place = file === undefined ? `environment variable ${name}` : `file ${file}`;
  const key = file === undefined ? env[name] : readKeyFile(resolve(folder, file));
  if (key === undefined || key === "")
    throw new UsageError(
      `no API key: ${place} is empty; put the key of a user who may read the audit log there`,
    );
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(
      `the API key in ${place} holds blanks or other characters that a header cannot carry; expected one word`,
    );
  return key;
}

// The opened file is what is checked, so that nobody can put another in its place in between.
function readKeyFile(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    checkKeyFile(file, path);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read key file ${path}: ${messageOf(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function checkKeyFile(file: number, path: string): void {
  const facts = fstatSync(file);
  const mode = facts.mode & 0o777;
  if (!facts.isFile() || facts.size > maxKeyBytes)
    throw new UsageError(
      `key file ${path} is no file with a key in it; expected a file of at most ${maxKeyBytes} bytes`,
    );
  if (mode & 0o077)
    throw new UsageError(
      `key file ${path} has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it`,
    );
  const user = process.getuid?.();
  if (user !== undefined && facts.uid !== user && facts.uid !== 0)
    throw new UsageError(
      `key file ${path} belongs to another user, who may change it; expected a file of your own`,
    );
}
