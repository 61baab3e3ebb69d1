import { VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import type { Command } from "commander";
import { readAsset } from "../home/assets.ts";
import { limited } from "../report/limit.ts";
import { runStatement } from "../report/run-statement.ts";
import type { Statement } from "../report/bound.ts";
import { readSettings } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../world.ts";
import { momentMs } from "../moments/asked-moment.ts";
import {
  type OutputFlags,
  rowFormatOf,
  rowLimitOf,
  rowsText,
  withOutput,
  writeRows,
} from "../report/output.ts";
import { plainPrinter } from "../terminal/printer.ts";
import { toTimestamp } from "../moments/text.ts";

/** Flags of a question about the published data at a moment. */
export type MomentFlags = OutputFlags & { readonly on?: string; readonly timezone: string };

/** Values that a question binds by name. */
export type Values = Readonly<Record<string, string | null>>;

/** Adds `--on`, `--timezone` and the flags of the output. */
export function withMoment(command: Command): Command {
  return withOutput(command)
    .option("--on <time>", "the moment: date, RFC 3339 time, 7d, 12h or now (default: now)")
    .option("--timezone <zone>", "where a date's day ends", "UTC");
}

/**
 * Asks what stands in a file of queries/access at the moment of the flags, prints the moment and writes the rows.
 * `idsOf` finds the ids of what was named, with the source that was chosen. Resolves to the number of all rows.
 */
export async function askPublished(
  name: string,
  idsOf: (connection: DuckDBConnection, source: string | undefined) => Promise<Values>,
  flags: MomentFlags,
  command: Command,
  world: World,
): Promise<number> {
  const settings = readSettings(command, world);
  const format = rowFormatOf(flags);
  const onMs = momentMs(flags.on ?? "now", flags.timezone, world.now());
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { source } = settings.flags;
  const ids = await idsOf(database.connection, source);
  const print = plainPrinter(world, settings.flags);
  const sql = readAsset(`queries/access/${name}.sql`);
  if (sql.includes("$on")) print(`on ${new Date(onMs).toISOString()}`);
  const statement = bound(sql, { ...ids, on: toTimestamp(onMs), source: source ?? null });
  const all = await runStatement(database.connection, statement, world.signal);
  const { result, total } = limited(all, rowLimitOf(flags, format, world));
  const shown = await writeRows(result, format, flags, world, print);
  print(rowsText({ shown, total: total() }, flags.limit, flags.out));
  return total() ?? shown;
}

function bound(sql: string, values: Values): Statement {
  const used = Object.entries(values).filter(([name]) => sql.includes(`$${name}`));
  return {
    sql,
    values: Object.fromEntries(used.map(([name, value]) => [name, { type: VARCHAR, value }])),
  };
}
