import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readAsset } from "../../base/home/assets.ts";
import { getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { formatBytes } from "../../base/terminal/amounts.ts";
import { newFailed, type Finding, newPassed, warn } from "./finding.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { loadLimits, readMachineBytes, readLimits } from "../../core/store/limits.ts";

const comfortableBytes = 1e9;

export function checkNode(version = process.versions.node): Finding {
  const { engines } = JSON.parse(readAsset("package.json")) as { engines: { node: string } };
  const [needed = "0"] = /\d+/.exec(engines.node) ?? [];
  const found = `Node ${version} on ${process.platform} ${process.arch}`;
  if (Number.parseInt(version) >= Number(needed)) return newPassed("node", found);
  return newFailed("node", `${found}, expected ${needed} or later; install it`);
}

/** Checks that the home exists, is writable for its owner, and unreadable for others. */
export function checkHome({ root }: Home): Finding {
  const found = statSync(root, { throwIfNoEntry: false });
  if (!found) return newPassed("home", `${root} does not exist yet; the first run creates it`);
  if (!found.isDirectory())
    return newFailed(
      "home",
      `${root} is not a directory; move it away, or choose another with --home`,
    );
  const mode = found.mode & 0o777;
  const shown = `${root} has mode ${mode.toString(8)}, expected 700`;
  if (mode & 0o022)
    return newFailed("home", `${shown}: others may write to it; run chmod 700 on it`);
  try {
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return newFailed(
      "home",
      `${getMessage(error)}; run as its owner, or choose another with --home`,
    );
  }
  if (mode & 0o077) return warn("home", `${shown}: others may read it; run chmod 700 on it`);
  return newPassed("home", `${root}, mode ${mode.toString(8)}`);
}

/** Checks the disk space for the next run, which publishes a copy of the whole warehouse beside the old one. */
export function checkDisk({ root, warehouse }: Home): Finding {
  const { bavail, bsize } = statfsSync(findNearestFolder(root));
  const free = bavail * bsize;
  const copy = statSync(warehouse, { throwIfNoEntry: false })?.size ?? 0;
  const shown = `${formatBytes(free)} free`;
  if (free <= copy)
    return newFailed(
      "disk",
      `${shown}, publishing needs ${formatBytes(copy)}; free disk space, or move the home with --home`,
    );
  if (free < copy * 2 + comfortableBytes)
    return warn(
      "disk",
      `${shown}, and the warehouse takes ${formatBytes(copy)}; free disk space soon`,
    );
  return newPassed("disk", shown);
}

function findNearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findNearestFolder(dirname(path));
}

// A load at its least: the database, and as much again for pages on their way into it.
const comfortableMemory = 800e6;

/** Checks the memory limits of the database, and whether a load has memory beside it. */
export function checkMemory(config: ConfigFile, bytes = readMachineBytes()): Finding {
  const [loads, reads] = [loadLimits(config, bytes), readLimits(config, bytes)];
  const by = config.memory_limit === undefined ? "derived from it" : "set by memory_limit";
  const text = `${formatBytes(bytes)} on this machine; database limits: loads ${loads.memoryLimit}, queries ${reads.memoryLimit}, ${by}`;
  if (bytes < comfortableMemory)
    return warn("memory", `${text}; a load needs ${formatBytes(comfortableMemory)} in total`);
  return newPassed("memory", text);
}
