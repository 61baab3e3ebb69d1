import { AuditlakeError, messageOf } from "../errors.ts";
import { storeLandedUsers, takeUsers } from "../load/landed-users.ts";
import { type ClockCheck, ClockError } from "../source/clock.ts";
import { readUsers } from "../source/read-users.ts";
import type { SourceRun } from "./task.ts";
import { directoryNotes } from "../status/directory.ts";

/**
 * Reads the user directory and stores it; returns why nothing of it was taken, undefined where something was. Without
 * the directory events stay as they are, and the e-mails come with the next run that can read it. A key that may not
 * read it can still be one that may read the log. Throws ClockError.
 */
export async function loadUsers(
  { client, settings, source, writer, world }: SourceRun,
  checkClock: ClockCheck,
): Promise<string | undefined> {
  if (world.signal.aborted) return undefined;
  const { connection } = writer.database;
  const { landing } = settings.home;
  try {
    await storeLandedUsers(landing, connection);
    const list = await readUsers(client, source, checkClock);
    await takeUsers(landing, connection, source.name, list, world.now());
    return (await directoryNotes(connection, source.name)).refused;
  } catch (error) {
    if (error instanceof ClockError) throw error;
    if (world.signal.aborted) return undefined;
    if (!(error instanceof AuditlakeError)) throw error;
    return `the user directory could not be read: ${messageOf(error)}`;
  }
}
