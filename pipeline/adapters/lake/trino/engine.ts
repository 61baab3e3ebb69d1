import { existsSync } from "node:fs";
import { AuditlakeError, messageOf, UsageError } from "../../../base/errors.ts";
import type { Question } from "../../../base/sql/question.ts";
import type { Report } from "../../../answers/report/find.ts";
import type { ReportEngine } from "../../../answers/report/engine.ts";
import { withIds } from "../../../answers/ask/question.ts";
import type { Settings } from "../../../base/home/settings.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import { boundSql } from "./bind.ts";
import { openTrino } from "./open.ts";
import { pinned } from "./pinned.ts";
import { type Unportable, unportableIn } from "./portable.ts";
import { type Spent, trinoRows } from "./rows.ts";

/**
 * Opens the engine for reports, which see the newest publication of the lake. Closing it closes its connections. Throws
 * AuditlakeError.
 */
export async function openTrinoEngine(
  settings: Settings,
  world: World,
  print: (line: string) => void,
  spent?: (stats: Spent) => void,
): Promise<ReportEngine> {
  const open = await openTrino(settings, world);
  const { trino, publication } = open;
  return {
    rows: async (report, question, signal) => {
      const { warn } = portability(report);
      const asked = await questionFor(settings, report, question);
      const sql = pinned(asked.sql, publication, trino, settings.flags.source);
      const outside = { sleep: world.sleep, signal };
      try {
        const rows = await trinoRows(boundSql(sql, asked.values), open, outside, print, spent);
        if (warn !== undefined) print(warn);
        return rows;
      } catch (error) {
        throw report.isBuiltIn || !messageOf(error).includes("standard SQL")
          ? error
          : new AuditlakeError(`not portable to the engine: ${messageOf(error)}`);
      }
    },
    parquet: () =>
      Promise.reject(
        new UsageError("parquet is not written from the engine; choose csv, ndjson or json"),
      ),
    reach: () => undefined,
    [Symbol.asyncDispose]: async () => open[Symbol.asyncDispose](),
  };
}

// What an engine refuses by itself it says; what it takes for something else nobody would notice.
function portability({ name, isBuiltIn, sql }: Report): { readonly warn: string | undefined } {
  const found = isBuiltIn ? [] : unportableIn(sql);
  const named = (effect: Unportable["effect"]): string =>
    found
      .filter((each) => each.effect === effect)
      .map((each) => each.name)
      .join("; ");
  const other = named("other rows");
  if (other !== "")
    throw new UsageError(
      `not portable to the engine, which would give other rows: it has ${other}; write it otherwise, or leave --engine out`,
    );
  const maybe = named("maybe other rows");
  const warn = `warning: report ${name} may give other rows on the engine than here: it has ${maybe}`;
  return { warn: maybe === "" ? undefined : warn };
}

// What the configuration or the published file says of this home counts for the lake, too.
async function questionFor(
  { home, config, flags }: Settings,
  report: Report,
  { sql, values }: Question,
): Promise<Question> {
  const zone = values["timezone"];
  const zoned =
    zone?.value === "default"
      ? { ...values, timezone: { ...zone, value: config.timezone } }
      : values;
  if (report.family !== "access" || !existsSync(home.published)) return { sql, values: zoned };
  await using database = await openPublished(home.published, readLimits(config));
  return await withIds(database.connection, report, { sql, values: zoned }, flags.source);
}
