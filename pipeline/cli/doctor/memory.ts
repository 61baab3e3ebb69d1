import type { ConfigFile } from "../../../schemas/config.ts";
import { loadLimits, machineBytes, readLimits } from "../../core/store/limits.ts";
import { bytesText } from "../../base/terminal/amounts.ts";
import { type Finding, ok, warn } from "./finding.ts";

// A load at its least: the database, and as much again for pages on their way into it.
const comfortableBytes = 800e6;

/** What the database may use on this machine, and whether a load has room beside it. */
export function memoryFinding(config: ConfigFile, bytes = machineBytes()): Finding {
  const [loads, reads] = [loadLimits(config, bytes), readLimits(config, bytes)];
  const by = config.memory_limit === undefined ? "by its size" : "by memory_limit";
  const text = `${bytesText(bytes)} on this machine; a load's database takes ${loads.memoryLimit} at most, an answer's ${reads.memoryLimit}, ${by}`;
  if (bytes < comfortableBytes)
    return warn("memory", `${text}; a load needs ${bytesText(comfortableBytes)} in all`);
  return ok("memory", text);
}
