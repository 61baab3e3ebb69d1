import { type DuckDBConnection, INTEGER, VARCHAR } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import type { Severity } from "../../base/report/detection.ts";
import type { Settings } from "../../base/home/settings.ts";
import { limitRows, type Row, type Rows } from "../../base/rows/row.ts";
import { formatJsonDocument } from "../../base/printable.ts";
import { count, nullable, oneOf, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import type { RowFormat } from "../report/formats.ts";
import { replaceFile } from "../report/write.ts";
import { toOcsf } from "./ocsf.ts";
import { readSql } from "../../base/sql/statements.ts";
import { runStatement } from "../../base/sql/select.ts";
import { parseMomentMs } from "../../base/time/times.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { notify, warning } from "../../base/notice/notice.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import {
  type OutputFlags,
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
  writeRows,
} from "../report/output.ts";

/** Which findings, and how they are written. */
export type FindingFlags = Omit<OutputFlags, "format"> & {
  readonly format?: RowFormat | "ocsf";
  readonly state?: string;
  readonly severity?: Severity;
  readonly since?: string;
  readonly subject?: string;
  readonly detection?: string;
};

const file = "queries/findings/list.sql";

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
  await using database = await openPublished(home.published, readLimits(config));
  const all = await askFindings(database.connection, flags, source, world);
  const found: Noted[] = [];
  if (flags.format === "ocsf")
    await writeOcsf(database.connection, noteSeverities(all, found), flags, world);
  else {
    const { format: given, ...others } = flags;
    const output = { ...others, ...(given === undefined ? {} : { format: given }) };
    const format = chooseRowFormat(output);
    const limit = chooseRowLimit(output, format, world);
    const { result, total } = limitRows(noteSeverities(all, found), limit);
    const print = plainPrinter(world, rest);
    const shown = await writeRows(result, format, output, world, print);
    print(formatRowCount({ shown, total: total() }, flags.limit, flags.out));
  }
  await printEnding(database.connection, world);
  return found.flatMap(({ severity }) => severities.filter((each) => each === severity));
}

// Findings that a suppression covers come back with the first hit after its end.
async function printEnding(connection: DuckDBConnection, world: World): Promise<void> {
  const shape = { detection: text, suppressedUntil: text };
  const now = toTimestamp(world.now());
  const ending = await queryRows(connection, "queries/findings/show.sql#ending", shape, { now });
  for (const { detection, suppressedUntil: until } of ending)
    notify(world, warning("suppression_ends", { detection, until }));
}

async function askFindings(
  connection: DuckDBConnection,
  flags: FindingFlags,
  source: string | undefined,
  world: World,
): Promise<Rows> {
  const sinceMs =
    flags.since === undefined ? undefined : parseMomentMs(flags.since, "UTC", world.now());
  const state = flags.state ?? "open";
  const asText = (value: string | undefined) => ({ type: VARCHAR, value: value ?? null });
  const statement = {
    sql: readSql(`${file}#rows`).replace(/;\s*$/, ""),
    values: {
      state: asText(state === "all" ? undefined : state),
      subject: asText(flags.subject),
      detection: asText(flags.detection),
      since: asText(sinceMs === undefined ? undefined : toTimestamp(sinceMs)),
      source: asText(source),
      least: { type: INTEGER, value: severities.indexOf(flags.severity ?? "info") },
    },
  };
  return runStatement(connection, statement, world.signal);
}

type Noted = { readonly id: string; readonly severity: string };

function noteSeverities({ columns, batches }: Rows, found: Noted[]): Rows {
  const [id, severity] = ["finding_id", "severity"].map((wanted) =>
    columns.findIndex(({ name }) => name === wanted),
  ) as [number, number];
  const read = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of batches) {
      for (const row of batch) found.push({ id: String(row[id]), severity: String(row[severity]) });
      yield batch;
    }
  };
  return { columns, batches: read() };
}

const ocsfShape = {
  findingId: text,
  detection: text,
  severity: oneOf(severities),
  title: text,
  message: text,
  source: text,
  subjectKind: text,
  subject: text,
  key: text,
  firstMs: count,
  lastMs: count,
  raisedMs: count,
  hits: count,
  state: text,
  isSuppressed: truth,
  attack: text,
  runbook: nullable(text),
};

async function writeOcsf(
  connection: DuckDBConnection,
  rows: Rows,
  { out }: FindingFlags,
  world: World,
): Promise<void> {
  const ids: string[] = [];
  const at = rows.columns.findIndex(({ name }) => name === "finding_id");
  for await (const batch of rows.batches) ids.push(...batch.map((row) => String(row[at])));
  const found = await queryRows(connection, `${file}#ocsf`, ocsfShape, { ids: ids.join(",") });
  const document = formatJsonDocument(found.map(toOcsf));
  if (out === undefined || out === "-") world.stdout.write(document);
  else await replaceFile(out, ({ sink }) => sink(document));
}
