import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { formatCommand } from "../../base/command-line.ts";
import { getMessage, isCode, UsageError } from "../../base/errors.ts";
import { asNew, syncFile, syncFolder, writeDurably, writeFault } from "../../base/home/durable.ts";
import { readSecretFile } from "../../base/home/given-file.ts";
import type { Settings } from "../../base/home/settings.ts";
import { formatVerifierKey, newVerifierKey } from "./checkpoint.ts";
import { logFiles } from "./entries.ts";

type Configured = Pick<Settings, "home" | "config" | "configFolder">;

/** The key of a home, and its verifier key as one line of text. */
export type Signer = { readonly privateKey: KeyObject; readonly verifierKey: string };

/** Reads the key that signs the heads of a home; undefined without evidence.key_file. Throws UsageError. */
export function readSigner(settings: Configured, origin: string): Signer | undefined {
  const path = findKeyFile(settings);
  if (path === undefined) return undefined;
  if (!existsSync(path))
    throw new UsageError(
      `evidence.key_file ${path} does not exist; ${formatCommand("evidence", "init")} creates it`,
    );
  const privateKey = parseKey(
    path,
    readSecretFile(path, { file: "evidence.key_file", content: "a key" }),
  );
  const verifierKey = formatVerifierKey(newVerifierKey(origin, createPublicKey(privateKey)));
  const copy = readKeyCopy(settings.home.landing);
  if (copy === undefined || copy === verifierKey) return { privateKey, verifierKey };
  throw new UsageError(
    `the key of evidence.key_file with this evidence.name differs from landing/${logFiles.key}; restore both, or start a log with a new name with ${formatCommand("evidence", "adopt")}`,
  );
}

/** The verifier key of a home as its log has it, without the line end; undefined where it has none. */
export function readKeyCopy(landing: string): string | undefined {
  try {
    return readFileSync(join(landing, logFiles.key), "utf8").trimEnd();
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

export async function writeKeyCopy(landing: string, key: string): Promise<void> {
  await writeDurably(join(landing, logFiles.key), Buffer.from(`${key}\n`));
}

/** Makes the key file; returns the verifier key. Throws UsageError where it exists, or lies inside the home. */
export async function makeKey(settings: Configured, origin: string): Promise<string> {
  const path = findKeyFile(settings);
  if (path === undefined)
    throw new UsageError(
      "evidence.key_file is not configured; set it to a file outside the home, on a disk that the backups of the home do not contain",
    );
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  try {
    await writeFile(path, privateKey.export({ type: "pkcs8", format: "pem" }), asNew);
    await syncFile(path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (isCode(error, "EEXIST"))
      throw new UsageError(
        `evidence.key_file ${path} already exists; it was not replaced, because its signatures could not be verified without it`,
      );
    throw writeFault(path, error);
  }
  return formatVerifierKey(newVerifierKey(origin, publicKey));
}

/** The path of evidence.key_file. Throws UsageError where it lies inside the home. */
export function findKeyFile({ home, config, configFolder }: Configured): string | undefined {
  const { key_file: file } = config.evidence;
  return file === undefined ? undefined : resolveOutside("key_file", file, home.root, configFolder);
}

/** A configured path as an absolute one. Throws UsageError where it lies inside the home. */
export function resolveOutside(
  key: "key_file" | "heads",
  path: string,
  root: string,
  configFolder: string,
): string {
  const absolute = resolve(configFolder, path);
  const inside = `${resolveLinks(root)}${sep}`;
  if (!`${resolveLinks(absolute)}${sep}`.startsWith(inside)) return absolute;
  throw new UsageError(
    `evidence.${key} ${absolute} is inside the home ${root}: anyone who can change the log could change it, too; choose a place outside`,
  );
}

// What does not exist yet lies where its folder does.
function resolveLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(resolveLinks(above), basename(path));
}

function parseKey(path: string, text: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
    throw new Error(`is of type ${key.asymmetricKeyType}`);
  } catch (error) {
    const why = getMessage(error).startsWith("is of type") ? getMessage(error) : "cannot be read";
    throw new UsageError(`evidence.key_file ${path} ${why}; expected an Ed25519 key in PKCS8`);
  }
}
