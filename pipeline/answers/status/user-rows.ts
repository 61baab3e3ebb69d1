import { readAsset } from "../../base/home/assets.ts";
import type { Settings } from "../../base/home/settings.ts";
import { limitRows } from "../../base/rows/row.ts";
import {
  type OutputFlags,
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
  writeRows,
} from "../report/output.ts";
import { runStatement } from "../../base/sql/select.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { notify } from "../../base/notice/notice.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { listDirectoryWarnings } from "../../core/completeness/directory.ts";

/** Writes the user directory of the published data, each user with the last event, and warns of old data. */
export async function writeUsers(
  flags: OutputFlags,
  { home, config, flags: asked }: Settings,
  world: World,
): Promise<void> {
  const format = chooseRowFormat(flags);
  await using database = await openPublished(home.published, readLimits(config), asked.source);
  const statement = { sql: readAsset("queries/status/users.sql"), values: {} };
  const all = await runStatement(database.connection, statement, world.signal);
  const { result, total } = limitRows(all, chooseRowLimit(flags, format, world));
  const print = plainPrinter(world, asked);
  const shown = await writeRows(result, format, flags, world, print);
  print(formatRowCount({ shown, total: total() }, flags.limit, flags.out));
  for (const { notice } of await listDirectoryWarnings(database.connection, asked.source))
    notify(world, notice);
}
