import { basename } from "node:path";
import { readAsset } from "../../base/home/assets.ts";
import { readToolVersion } from "../../base/home/version.ts";
import type { Engine } from "../report/engine.ts";
import type { Report } from "../../base/report/find.ts";
import { getMetaPath, replaceFile } from "../report/write.ts";
import type { Job } from "./plan-run.ts";
import { listUnreadWithin } from "../report/unread.ts";
import { formatValue } from "../../base/report/values.ts";
import type { Cell, Reach, Rows } from "../../base/rows/row.ts";
import { computeSha256, computeFileSha256 } from "../../base/home/durable.ts";

/** What is published. It is asked in the same way as a built-in report, so that it speaks of the same data. */
export const provenance: Report = {
  name: "provenance",
  family: "pipeline",
  title: "How far does the published data reach?",
  grain: "one row per source",
  params: [],
  chart: undefined,
  lines: 0,
  sql: readAsset("queries/status/provenance.sql"),
  file: "queries/status/provenance.sql",
  isBuiltIn: true,
};

/** Per source what is final and the run that brought the newest of it. */
export type Provenance = readonly Readonly<Record<string, Cell>>[];

/** How far the data of an engine reaches. */
export async function readProvenance(engine: Engine, signal: AbortSignal): Promise<Provenance> {
  const question = { sql: provenance.sql, values: {} };
  const { columns, batches }: Rows = await engine.rows(provenance, question, signal);
  const found: Readonly<Record<string, Cell>>[] = [];
  for await (const batch of batches)
    for (const row of batch)
      found.push(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]!])));
  return found;
}

/** Writes beside a report's file where it comes from: the data, what of its range was not read, statement, parameters. */
export async function writeMeta(
  { report, question, format }: Job,
  path: string,
  rows: number,
  { data, reach }: { readonly data: Provenance; readonly reach: Reach | undefined },
  nowMs: number,
): Promise<void> {
  const values = Object.entries(question.values);
  const meta = {
    file: basename(path),
    sha256: await computeFileSha256(path),
    format,
    rows,
    report: report.name,
    title: report.title,
    sql_sha256: computeSha256(report.sql),
    parameters: Object.fromEntries(
      values.map(([name, value]) => [name, value.value === null ? null : formatValue(value)]),
    ),
    data,
    not_read: reach === undefined ? null : listUnreadWithin(reach, [question.values]),
    auditlake: readToolVersion(),
    written_at: new Date(nowMs).toISOString(),
  };
  await replaceFile(getMetaPath(path), ({ sink }) => sink(`${JSON.stringify(meta, null, 2)}\n`));
}
