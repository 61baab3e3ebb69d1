import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { getOwn } from "../../base/home/get-own.ts";
import { readSecretFile } from "../../base/home/given-file.ts";

export type KeySource = {
  readonly api_key_env: string;
  readonly api_key_file?: string | undefined;
};

const kind = { file: "key file", content: "a key" };

/** The key of a source, from its file or its environment variable; an error never shows any of it. */
export function readKey(
  source: KeySource,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { api_key_env: name, api_key_file: file } = source;
  const place = file === undefined ? `environment variable ${name}` : `file ${file}`;
  const key = file === undefined ? getOwn(env, name) : readSecretFile(resolve(folder, file), kind);
  if (key === undefined || key === "")
    throw new UsageError(
      `no API key: ${place} is empty; put the key of a user with access to the audit log there`,
    );
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(
      `the API key in ${place} contains spaces or other characters that are invalid in a header; expected one word`,
    );
  return key;
}
