import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readSigner, resolveOutside, type Signer } from "./key.ts";
import { readNewestHead } from "./outside.ts";
import type { SizedRoot } from "./tree.ts";

/** What a home signs with: its key, and the folder evidence.heads if there is one. */
export type Signing = Signer & { readonly folder: string | undefined };

/** The tree of a log: its number of entries, and the root of the first ones. */
export type LogTree = {
  readonly size: number;
  readonly computeRootAt: (size: number) => Buffer;
};

/**
 * Reads what a home signs with; undefined without evidence.key_file. Writes nothing. Throws AuditlakeError where the home
 * must not sign: a wrong key, a folder that is not mounted, a head there that this log does not continue.
 */
export function prepareSigning(
  settings: Settings,
  origin: string,
  tree: LogTree,
): Signing | undefined {
  const { home, config, configFolder } = settings;
  const signer = readSigner(settings, origin);
  if (signer === undefined) return undefined;
  if (config.evidence.heads === undefined) return { ...signer, folder: undefined };
  const folder = resolveOutside("heads", config.evidence.heads, home.root, configFolder);
  const newest = readNewestHead(folder, origin);
  const conflict = newest && describeConflict(newest, tree, "evidence.heads");
  if (conflict === undefined) return { ...signer, folder };
  throw new AuditlakeError(conflict);
}

/** Describes why a head cannot belong to this log; undefined if the log continues it. */
export function describeConflict(
  { size, root }: SizedRoot,
  tree: LogTree,
  place: string,
): string | undefined {
  const advice = `restore the newest copy of the log, or start another log with ${formatCommand("evidence", "adopt")}`;
  if (size > tree.size)
    return `${place} has a head of ${size} entries, but the log of this home has ${tree.size}: it was restored, cloned or truncated; ${advice}`;
  if (tree.computeRootAt(size).equals(root)) return undefined;
  return `the first ${size} entries of the log do not match the head in ${place}; ${advice}`;
}
