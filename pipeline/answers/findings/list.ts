import { INTEGER, VARCHAR } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import type { Severity } from "../../base/report/detection.ts";
import type { Settings } from "../../base/home/settings.ts";
import { limited, type Row, type Rows } from "../../base/rows/row.ts";
import { readSql } from "../../base/sql/statements.ts";
import { runStatement } from "../../base/sql/select.ts";
import { momentMs } from "../../base/time/times.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import {
  type OutputFlags,
  rowFormatOf,
  rowLimitOf,
  rowsText,
  writeRows,
} from "../report/output.ts";

/** Which findings, and how they are written. */
export type FindingFlags = OutputFlags & {
  readonly state?: string;
  readonly severity?: Severity;
  readonly since?: string;
  readonly subject?: string;
  readonly detection?: string;
};

/** The states that a list may ask for; a suppressed finding is open otherwise. */
export const listedStates = [
  "open",
  "acknowledged",
  "closed",
  "suppressed",
  "withdrawn",
  "all",
] as const;

/** Writes findings, the most severe first. Resolves to the severities of all rows. */
export async function writeFindings(
  flags: FindingFlags,
  { home, config, flags: { source, ...rest } }: Settings,
  world: World,
): Promise<Severity[]> {
  const format = rowFormatOf(flags);
  await using database = await openPublished(home.published, readLimits(config));
  const sinceMs = flags.since === undefined ? undefined : momentMs(flags.since, "UTC", world.now());
  const state = flags.state ?? "open";
  const text = (value: string | undefined) => ({ type: VARCHAR, value: value ?? null });
  const statement = {
    sql: readSql("queries/findings/list.sql"),
    values: {
      state: text(state === "all" ? undefined : state),
      subject: text(flags.subject),
      detection: text(flags.detection),
      since: text(sinceMs === undefined ? undefined : toTimestamp(sinceMs)),
      source: text(source),
      least: { type: INTEGER, value: severities.indexOf(flags.severity ?? "info") },
    },
  };
  const all = await runStatement(database.connection, statement, world.signal);
  const found: Severity[] = [];
  const { result, total } = limited(noting(all, found), rowLimitOf(flags, format, world));
  const shown = await writeRows(result, format, flags, world, plainPrinter(world, rest));
  const print = plainPrinter(world, rest);
  print(rowsText({ shown, total: total() }, flags.limit, flags.out));
  return found;
}

function noting({ columns, batches }: Rows, found: Severity[]): Rows {
  const at = columns.findIndex(({ name }) => name === "severity");
  const read = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of batches) {
      for (const row of batch) found.push(...severities.filter((each) => each === row[at]));
      yield batch;
    }
  };
  return { columns, batches: read() };
}
