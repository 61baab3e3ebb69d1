import { userInfo } from "node:os";
import { readAsset } from "./assets.ts";

/** The name of whoever runs this; `uid 12345` where this machine has no name for them, as in many containers. */
export function userName(read: () => { readonly username: string } = userInfo): string {
  try {
    return read().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** The version of this package. */
export function toolVersion(): string {
  const { version } = JSON.parse(readAsset("package.json")) as { version: string };
  return version;
}
