import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { storeLandedUsers, takeUsers } from "../load/landed-users.ts";
import { parseExactly } from "../records/text.ts";
import { userListForm, userListOf, userPageOf, type UserList } from "../records/user-list.ts";
import { directoryNotes, endedText } from "../completeness/directory.ts";
import { endedUsers, lastUserReadings } from "../store/user-readings.ts";
import type { Importing } from "./load-files.ts";
import { printer } from "../../base/terminal/printer.ts";

/**
 * Stores the user directory of a file; returns whether anything of it was taken, and prints what became of it. Throws
 * UsageError where the file is no user list.
 */
export async function importUsers(
  file: string,
  { settings: { home }, source: { name, users }, writer, world }: Importing,
): Promise<boolean> {
  const list = readUsers(file, users);
  const { connection } = writer.database;
  await storeLandedUsers(home.landing, connection);
  const before = (await lastUserReadings(connection)).get(name);
  await takeUsers(home.landing, connection, name, list, world.now());
  const ended = before === undefined ? undefined : await endedUsers(connection, name, before);
  if (ended !== undefined) printer(world)(`warning: ${file}: ${endedText(name, ended)}`);
  const { refused, missing } = await directoryNotes(connection, name);
  const notes = refused === undefined ? missing : [refused, ...missing];
  for (const note of notes) printer(world)(`warning: ${file}: ${note}`);
  return refused === undefined;
}

// A file is one page, whatever the service's paging is.
function readUsers(file: string, { records_at, ignore_signs }: NamedSource["users"]): UserList {
  const page = userPageOf(parsed(readGiven(file, "the user list")), records_at);
  if (page === undefined)
    throw new UsageError(`${file} is no user list; ${userListForm(records_at)}`);
  return userListOf([{ ...page, isFollowed: false, hasLink: false }], ignore_signs);
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseExactly(bytes);
  } catch {
    return undefined;
  }
}
