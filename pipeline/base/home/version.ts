import { existsSync, readdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { getAssetPath, readAsset } from "./assets.ts";
import { computeSha256 } from "./durable.ts";

/** Returns the name of the current user; `uid 12345` if this machine has no name for them, as in many containers. */
export function readUserName(read: () => { readonly username: string } = userInfo): string {
  try {
    return read().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

export function readToolVersion(): string {
  const { version } = JSON.parse(readAsset("package.json")) as { version: string };
  return version;
}

let bundleHash: string | undefined;

/** The SHA-256 of the program's list of its files with their hashes; a checkout has its queries on that list alone. */
export function readBundleHash(): string {
  bundleHash ??= computeSha256(readFileList());
  return bundleHash;
}

function readFileList(): string {
  const list = getAssetPath("files.sha256");
  if (existsSync(list)) return readFileSync(list, "utf8");
  const names = readdirSync(getAssetPath("queries"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".sql")).map((name) => join("queries", name));
  return files
    .sort()
    .map((file) => `${computeSha256(readAsset(file))}  ${file}\n`)
    .join("");
}
