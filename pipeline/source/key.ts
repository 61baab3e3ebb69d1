import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError, messageOf } from "../errors.ts";

/** Where a source's key comes from. */
export type KeySource = {
  readonly api_key_env: string;
  readonly api_key_file?: string | undefined;
};

/** The key of a source, from its file or its environment variable; an error never shows any of it. */
export function readKey(
  source: KeySource,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const place =
    source.api_key_file === undefined
      ? `environment variable ${source.api_key_env}`
      : `file ${source.api_key_file}`;
  const key =
    source.api_key_file === undefined
      ? env[source.api_key_env]
      : readKeyFile(resolve(folder, source.api_key_file));
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

function readKeyFile(path: string): string {
  try {
    const mode = statSync(path).mode & 0o777;
    if (mode & 0o077)
      throw new UsageError(
        `key file ${path} has mode ${mode.toString(8)}, expected 600: others may read it; run chmod 600 on it`,
      );
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read key file ${path}: ${messageOf(error)}`);
  }
}
