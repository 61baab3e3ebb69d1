import { readAsset } from "./assets.ts";

/** The version of this package. */
export function toolVersion(): string {
  const { version } = JSON.parse(readAsset("package.json")) as { version: string };
  return version;
}
