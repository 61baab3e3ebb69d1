import { resolve } from "node:path";
import { writeDurably } from "../../base/home/durable.ts";
import type { Engine } from "../../answers/report/engine.ts";
import type { Job } from "../../answers/ask/plan-run.ts";
import type { Cell, Row } from "../../base/rows/row.ts";
import { jsonDocument } from "../../base/terminal/json.ts";

// A message should not be longer than somebody reads.
const mostRows = 50;

/** Writes the first rows that reports found into a file, for those who get a notice of them. */
export async function writeFound(
  path: string,
  jobs: readonly Job[],
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const reports = [];
  for (const { report, question } of jobs) {
    const { columns, batches } = await engine.rows(report, question, signal);
    const rows: Row[] = [];
    for await (const batch of batches) {
      rows.push(...batch.slice(0, mostRows - rows.length));
      if (rows.length === mostRows) break;
    }
    const names = columns.map(({ name }) => name);
    reports.push({ name: report.name, columns: names, rows: rows.map((row) => row.map(plain)) });
  }
  await writeDurably(resolve(path), Buffer.from(jsonDocument({ reports })));
}

// JSON has no whole numbers of 64 bits.
function plain(cell: Cell): Exclude<Cell, bigint> {
  return typeof cell === "bigint" ? String(cell) : cell;
}
