import { notify } from "../../base/notice/notice.ts";
import { VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import { parseMomentMs } from "../../base/time/times.ts";
import { fromTimestamp, toTimestamp } from "../../base/time/text.ts";
import { emptyNotice, isEmpty, listUnknownLines } from "../report/reach.ts";
import type { Statement } from "../../base/sql/bind.ts";
import { limitRows } from "../../base/rows/row.ts";
import {
  type OutputFlags,
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
  writeRows,
} from "../report/output.ts";
import { readSql } from "../../base/sql/statements.ts";
import { runStatement } from "../../base/sql/select.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { listUnreadAt, readUnreadTimes } from "../report/unread.ts";

export type MomentFlags = OutputFlags & { readonly on?: string; readonly timezone: string };

export type Values = Readonly<Record<string, string | null>>;

/** Finds the ids of what was named, with the source that was chosen. */
export type IdsOf = (connection: DuckDBConnection, source: string | undefined) => Promise<Values>;

/**
 * Runs a file of queries/access over the published data at a moment, prints the moment and writes the rows. Warns if
 * the moment is outside the read range. Resolves to the number of all rows.
 */
export async function askAt(
  name: string,
  idsOf: IdsOf,
  flags: MomentFlags,
  settings: Settings,
  world: World,
): Promise<number> {
  const format = chooseRowFormat(flags);
  const onMs = parseMomentMs(flags.on ?? "now", flags.timezone, world.now());
  const {
    home,
    config,
    flags: { source },
  } = settings;
  await using database = await openPublished(home.published, readLimits(config), source);
  const ids = await idsOf(database.connection, source);
  const print = plainPrinter(world, settings.flags);
  const sql = readSql(`queries/access/${name}.sql`);
  if (sql.includes("$on")) {
    print(`on ${new Date(onMs).toISOString()}`);
    const fromMs = typeof ids["from"] === "string" ? [fromTimestamp(ids["from"])] : [];
    const { unread } = await readUnreadTimes(database.connection, source);
    new Set([...fromMs, onMs].flatMap((ms) => listUnreadAt(unread, ms))).forEach((line) =>
      print(line),
    );
    const about = { ...ids, source: source ?? null, on: toTimestamp(onMs) };
    for (const line of await listUnknownLines(database.connection, about)) print(line);
  }
  const statement = bindStatement(sql, { ...ids, on: toTimestamp(onMs), source: source ?? null });
  const all = await runStatement(database.connection, statement, world.signal);
  const { result, total } = limitRows(all, chooseRowLimit(flags, format, world));
  const shown = await writeRows(result, format, flags, world, print);
  print(formatRowCount({ shown, total: total() }, flags.limit, flags.out));
  if (shown === 0 && (await isEmpty(database.connection))) notify(world, emptyNotice());
  return total() ?? shown;
}

function bindStatement(sql: string, values: Values): Statement {
  const used = Object.entries(values).filter(([name]) => sql.includes(`$${name}`));
  return {
    sql,
    values: Object.fromEntries(used.map(([name, value]) => [name, { type: VARCHAR, value }])),
  };
}
