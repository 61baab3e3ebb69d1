import type { Settings } from "../../base/home/settings.ts";
import { readProgram } from "../../core/writer/program.ts";
import type { ExportMeta } from "../report/meta.ts";
import type { CheckedLog } from "./check-log.ts";

/** Checks whether another program version or catalog wrote a file, according to the log entries below the head. */
export async function isOtherProgram(
  { program: writer }: ExportMeta,
  { leaves, head }: CheckedLog,
  settings: Settings,
): Promise<boolean> {
  const isWriter = (one: ExportMeta["program"]): boolean =>
    one.version === writer.version &&
    one.catalog_sha256 === writer.catalog_sha256 &&
    one.bundle_sha256 === writer.bundle_sha256;
  if (isWriter(await readProgram(settings))) return false;
  return leaves.slice(0, head.size).some((leaf) => leaf.kind === "program" && isWriter(leaf));
}
