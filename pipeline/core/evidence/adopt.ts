import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { logFiles } from "./entries.ts";
import { findKeyFile, makeKey, readKeyCopy, readSigner, writeKeyCopy } from "./key.ts";
import { findLog } from "./log.ts";
import { giveNewId, makeOrigin } from "./origin.ts";

/** Makes the key of a home under its lock; returns the verifier key. Throws UsageError where it has one. */
export async function initEvidence(settings: Settings, world: World): Promise<string> {
  const { landing } = settings.home;
  requireLog(landing);
  const isThere = existsSync(findKeyFile(settings) ?? "");
  if (!isThere && readKeyCopy(landing) !== undefined)
    throw new UsageError(
      `this log was signed with the key of landing/${logFiles.key}; restore its evidence.key_file, or start another log with ${formatCommand("evidence", "adopt")}`,
    );
  const key = await makeKey(settings, await makeOrigin(settings, world));
  await writeKeyCopy(landing, key);
  return key;
}

/**
 * Starts a log of another origin over the same entries, under the lock: what this home signs from here on contradicts no
 * head that it, or a home that it was copied from, has signed. Returns the verifier key; undefined without a key.
 */
export async function adoptLog(settings: Settings, world: World): Promise<string | undefined> {
  const { landing } = settings.home;
  requireLog(landing);
  const path = findKeyFile(settings);
  await giveNewId(landing, world.random);
  rmSync(join(landing, logFiles.head), { force: true });
  rmSync(join(landing, logFiles.key), { force: true });
  if (path === undefined) return undefined;
  const origin = await makeOrigin(settings, world);
  const key = existsSync(path)
    ? readSigner(settings, origin)?.verifierKey
    : await makeKey(settings, origin);
  if (key !== undefined) await writeKeyCopy(landing, key);
  return key;
}

function requireLog(landing: string): void {
  if (findLog(landing) === undefined)
    throw new AuditlakeError("the log of this home cannot be opened; see the message above");
}
