import { AuditlakeError, messageOf } from "../../base/errors.ts";
import { storeLandedUsers, takeUsers } from "../load/landed-users.ts";
import { type ClockCheck, ClockError } from "../source/clock.ts";
import { readUsers } from "../source/read-users.ts";
import type { SourceRun } from "./task.ts";
import { type Notice, sentenceOf, warning } from "../../base/notice/notice.ts";
import { directoryNotes, endedText } from "../completeness/directory.ts";
import { endedUsers, heldBackReading, lastUserReadings } from "../store/user-readings.ts";

/** What a reading of the user directory came to. */
export type UsersLoaded = {
  /** Why nothing of it was taken, or why it ends nobody. */
  readonly error: Notice | undefined;
  /** The warning of users who ended. */
  readonly ended: readonly Notice[];
};

/**
 * Reads the user directory and stores it. Without the directory events stay as they are, and the e-mails come with the
 * next run that can read it. A key that may not read it can still be one that may read the log. Throws ClockError.
 */
export async function loadUsers(own: SourceRun, checkClock: ClockCheck): Promise<UsersLoaded> {
  const { source, writer, world } = own;
  const { connection } = writer.database;
  if (world.signal.aborted) return { error: undefined, ended: [] };
  const before = (await lastUserReadings(connection)).get(source.name);
  const error = await takeList(own, checkClock);
  const ended =
    before === undefined ? undefined : await endedUsers(connection, source.name, before);
  return {
    error,
    ended: ended === undefined ? [] : [warning("text", { text: endedText(source.name, ended) })],
  };
}

async function takeList(
  { client, settings, source, writer, world }: SourceRun,
  checkClock: ClockCheck,
): Promise<Notice | undefined> {
  const { connection } = writer.database;
  const { landing } = settings.home;
  const refusal = async (): Promise<Notice | undefined> =>
    (await directoryNotes(connection, source.name)).refused;
  try {
    await storeLandedUsers(landing, connection);
    const list = await readUsers(client, source, checkClock);
    await takeUsers(landing, connection, source.name, list, world.now());
    return await refusal();
  } catch (error) {
    if (error instanceof ClockError) throw error;
    if (world.signal.aborted) return undefined;
    if (!(error instanceof AuditlakeError)) throw error;
    const fault = `the user directory could not be read: ${messageOf(error)}`;
    const isHeldBack = (await heldBackReading(connection, source.name)) !== undefined;
    const refused = isHeldBack ? await refusal() : undefined;
    const text = refused === undefined ? fault : `${fault}; ${sentenceOf(refused)}`;
    return warning("text", { text });
  }
}
