import { userInfo } from "node:os";
import { readAsset } from "./assets.ts";

/** Returns the name of the current user; `uid 12345` if this machine has no name for them, as in many containers. */
export function readUserName(read: () => { readonly username: string } = userInfo): string {
  try {
    return read().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** The version of this package. */
export function readToolVersion(): string {
  const { version } = JSON.parse(readAsset("package.json")) as { version: string };
  return version;
}
