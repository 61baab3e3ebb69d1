import type { Settings } from "../../base/home/settings.ts";
import { rowFormats } from "../../answers/report/formats.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { commandNames, type Desk } from "./commands.ts";
import type { Known } from "./complete.ts";

/** What the prompt completes: functions of the database, reports, its own commands and formats. */
export async function knownOf({ home, config }: Settings, { reports }: Desk): Promise<Known> {
  await using database = await openPublished(home.published, readLimits(config));
  const rows = await queryFile(database.connection, "queries/prompt/functions.sql");
  return {
    functions: rows.map((row) => String(row["name"])),
    reports: reports().map(({ name }) => name),
    commands: commandNames,
    formats: rowFormats,
  };
}
