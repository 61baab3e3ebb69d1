import { basename } from "node:path";
import { readAsset } from "../../base/home/assets.ts";
import { isBadStatement } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { ParamValue, Question } from "../../base/sql/question.ts";
import { OtherViewsError } from "../../core/store/other-views.ts";
import { readKeyCopy } from "../../core/evidence/key.ts";
import type { Program } from "../../core/evidence/log.ts";
import { readProgram } from "../../core/writer/program.ts";
import type { ExportMeta } from "../report/meta.ts";
import type { Engine } from "../report/engine.ts";
import type { Report } from "../../base/report/find.ts";
import { getMetaPath, replaceFile } from "../report/write.ts";
import type { Job } from "./plan-run.ts";
import { listUnreadWithin } from "../report/unread.ts";
import { formatValue } from "../../base/report/values.ts";
import type { Cell, Reach, Row, Rows } from "../../base/rows/row.ts";
import { computeSha256, computeFileSha256 } from "../../base/home/durable.ts";

/** Facts about the published data, queried like a built-in report so that both describe the same data. */
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

const exportFacts: Report = {
  ...provenance,
  name: "export",
  sql: readAsset("queries/status/export.sql"),
  file: "queries/status/export.sql",
};

/** Per source the final range, and the run that brought its newest part. */
type Provenance = readonly Readonly<Record<string, Cell>>[];

/** How far the data of an engine reaches. */
async function readProvenance(engine: Engine, signal: AbortSignal): Promise<Provenance> {
  const question = { sql: provenance.sql, values: {} };
  const { columns, batches }: Rows = await engine.rows(provenance, question, signal);
  const found: Readonly<Record<string, Cell>>[] = [];
  for await (const batch of batches)
    for (const row of batch)
      found.push(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]!])));
  return found;
}

/** What an export is of, beside its rows: the head that covers them, and the default time zone. */
type ExportFacts = { readonly head: string | null; readonly timezone: string };

/** What all files of a run have in common. */
export type Origin = ExportFacts & {
  readonly data: Provenance;
  readonly settings: Settings;
  readonly program: Program;
  readonly publicKey: string | null;
  readonly options: ExportMeta["options"];
};

/** Reads facts of the published file and the home for all files of a run. */
export async function readOrigin(
  engine: Engine,
  settings: Settings,
  options: ExportMeta["options"],
  signal: AbortSignal,
): Promise<Origin> {
  const data = await readProvenance(engine, signal);
  const facts = await readExportFacts(engine, settings, signal);
  const program = await readProgram(settings);
  const publicKey = readPublicKey(settings);
  return { ...facts, data, settings, program, publicKey, options };
}

// A lake and a file of an earlier version do not have them.
async function readExportFacts(
  engine: Engine,
  { config }: Settings,
  signal: AbortSignal,
): Promise<ExportFacts> {
  try {
    const question = { sql: exportFacts.sql, values: {} };
    const { columns, batches } = await engine.rows(exportFacts, question, signal);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    const [head, timezone] = ["head", "timezone"].map((name) => {
      const cell = rows[0]?.[columns.findIndex((column) => column.name === name)];
      return typeof cell === "string" ? cell : null;
    });
    return { head: head!, timezone: timezone ?? config.timezone };
  } catch (error) {
    if (!isBadStatement(error) && !(error instanceof OtherViewsError)) throw error;
    return { head: null, timezone: config.timezone };
  }
}

// Readers of the published file may not enter the folder of the log.
function readPublicKey({ home: { landing } }: Settings): string | null {
  try {
    return readKeyCopy(landing) ?? null;
  } catch {
    return null;
  }
}

/** Writes beside a report's file where it comes from: the data, what of its range was not read, statement, parameters. */
export async function writeMeta(
  { report, question, format }: Job,
  path: string,
  rows: number,
  { reach, ...origin }: Origin & { readonly reach: Reach | undefined },
  nowMs: number,
): Promise<void> {
  const { data, settings, timezone, options, program, head, publicKey } = origin;
  const meta = {
    file: basename(path),
    sha256: await computeFileSha256(path),
    format,
    rows,
    report: report.name,
    title: report.title,
    sql_sha256: computeSha256(report.sql),
    parameters: formatParameters(question, timezone),
    source: settings.flags.source ?? null,
    timezone,
    options,
    data,
    not_read: reach === undefined ? null : listUnreadWithin(reach, [question.values]),
    auditlake: program.version,
    program,
    evidence: head === null ? null : { head, public_key: publicKey },
    written_at: new Date(nowMs).toISOString(),
  };
  await replaceFile(getMetaPath(path), ({ sink }) => sink(`${JSON.stringify(meta, null, 2)}\n`));
}

// The default zone by its name: it may be another one later.
function formatParameters(
  { values }: Question,
  timezone: string,
): Readonly<Record<string, string | null>> {
  const format = (name: string, value: ParamValue): string | null => {
    if (value.value === null) return null;
    return name === "timezone" && value.value === "default" ? timezone : formatValue(value);
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, format(name, value)]),
  );
}
