import { exitCode, UsageError } from "../../base/errors.ts";
import { bindSql } from "../../adapters/lake/trino/pieces.ts";
import { openTrino } from "../../adapters/lake/trino/engine.ts";
import { pinSql } from "../../adapters/lake/trino/pin-sql.ts";
import { queryTrino } from "../../adapters/lake/trino/rows.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import {
  type OutputFlags,
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
  writeRows,
} from "../../answers/report/output.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { notify, warning } from "../../base/notice/notice.ts";

/**
 * Runs one query on an engine, over the newest publication of the lake; rows beyond what it may give are left out, with
 * a note.
 */
export async function runElsewhere(
  sql: string,
  flags: Flags,
  settings: Settings,
  world: World,
): Promise<void> {
  if (flags.explain)
    throw new UsageError("--explain works only on the published file; omit --engine");
  const format = chooseRowFormat(flags);
  const print = plainPrinter(world, settings.flags);
  await using open = await openTrino(settings, world);
  const trino = { ...open.trino, timeoutMs: flags.timeout };
  const text = bindSql(pinSql(sql, open.publication, trino, settings.flags.source), {});
  const rows = await queryTrino(text, { ...open, trino }, world, print);
  const limit = chooseRowLimit(flags, format, world);
  const most = limit === "all" ? flags.maxRows : Math.min(limit, flags.maxRows);
  const answer = { isTruncated: false };
  const shown = await writeRows(limitRows(rows, most, answer), format, flags, world, print);
  const isLimited = answer.isTruncated && most < flags.maxRows;
  print(formatRowCount({ shown, total: isLimited ? undefined : shown }, flags.limit, flags.out));
  if (!answer.isTruncated || isLimited) return;
  warnOfCut(`${most} rows (--max-rows)`, world);
}

// Leaving the loop early also ends the query at the engine.
function limitRows(
  { columns, batches }: Rows,
  most: number,
  answer: { isTruncated: boolean },
): Rows {
  const readSome = async function* (): AsyncGenerator<readonly Row[]> {
    let left = most;
    for await (const batch of batches) {
      answer.isTruncated = batch.length > left;
      yield answer.isTruncated ? batch.slice(0, left) : batch;
      left -= batch.length;
      if (answer.isTruncated) return;
    }
  };
  return { columns, batches: readSome() };
}

/** Warns that the answer was cut off, which is done in part. */
export function warnOfCut(limit: string, world: World): void {
  notify(world, warning("rows_cut", { limit }), exitCode.partial);
}

/** Flags of `sql`. */
export type Flags = OutputFlags & {
  readonly file?: string;
  readonly timeout: number;
  readonly maxRows: number;
  readonly explain?: true;
  readonly engine?: string;
};
