import { AuditlakeError, messageOf } from "../../errors.ts";
import { landUsers } from "../../landing/directory.ts";
import { toTimestamp } from "../../run/totals.ts";
import type { Writer } from "../../run/writer.ts";
import type { NamedSource, Settings } from "../../settings.ts";
import type { Client } from "../../source/client.ts";
import { type ClockCheck, ClockError } from "../../source/clock.ts";
import { readUsers } from "../../source/users.ts";
import { storeUsers } from "../../warehouse/users.ts";
import type { World } from "../../world.ts";

/**
 * Reads the user directory and stores it; returns why that failed, undefined where it did not. Without the
 * directory events stay as they are, and the e-mails come with the next run that can read it. A key that may not
 * read it can still be one that may read the log. Throws ClockError.
 */
export async function loadUsers(
  client: Client,
  settings: Settings,
  source: NamedSource,
  checkClock: ClockCheck,
  writer: Writer,
  world: World,
): Promise<string | undefined> {
  if (world.signal.aborted) return undefined;
  try {
    const users = await readUsers(client, source.users_path, checkClock);
    const readAt = toTimestamp(world.now());
    await landUsers(settings.home.landing, { source: source.name, readAt, users });
    await storeUsers(writer.database.connection, source.name, users, readAt);
    return undefined;
  } catch (error) {
    if (error instanceof ClockError) throw error;
    if (world.signal.aborted) return undefined;
    if (!(error instanceof AuditlakeError)) throw error;
    return messageOf(error);
  }
}
