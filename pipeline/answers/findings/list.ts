import type { DuckDBConnection } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import type { Severity } from "../../base/report/detection.ts";
import type { Settings } from "../../base/home/settings.ts";
import { type Cell, limitRows, type Row, type Rows } from "../../base/rows/row.ts";
import { formatJsonDocument } from "../../base/printable.ts";
import { count, nullable, oneOf, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import type { RowFormat } from "../report/formats.ts";
import { replaceFile } from "../report/write.ts";
import { buildListQuestion, type FindingFilter } from "./ask.ts";
import { toOcsf } from "./ocsf.ts";
import { buildSuppressionsQuestion } from "./suppressions.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import { runStatement } from "../../base/sql/select.ts";
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

export type FindingFlags = Omit<OutputFlags, "format"> &
  FindingFilter & { readonly format?: RowFormat | "ocsf" };

const file = "queries/findings/list.sql";

/** Writes findings, the most severe first. Resolves to the severities of all rows. */
export async function writeFindings(
  flags: FindingFlags,
  { home, config, flags: { source, ...rest } }: Settings,
  world: World,
): Promise<Severity[]> {
  await using database = await openPublished(home.published, readLimits(config));
  const question = buildListQuestion(flags, source, world.now());
  const all = await runStatement(database.connection, bindQuestion(question), world.signal);
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
    const isTable = format === "table";
    const rows = isTable ? chooseTableColumns(result) : result;
    const shown = await writeRows(rows, format, { ...output, isWrapped: isTable }, world, print);
    print(formatRowCount({ shown, total: total() }, flags.limit, flags.out));
  }
  await printEnding(database.connection, world);
  return found.flatMap(({ severity }) => severities.filter((each) => each === severity));
}

const tableColumns = ["severity", "last_at", "message", "finding_id"];
const idDigits = 8;

// What people read, in the order of the rows; other formats have all columns.
function chooseTableColumns({ columns, batches }: Rows): Rows {
  const places = tableColumns.map((wanted) => columns.findIndex(({ name }) => name === wanted));
  const shorten = (cell: Cell, name: string): Cell =>
    name === "finding_id" ? String(cell).slice(0, idDigits) : cell;
  const read = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of batches)
      yield batch.map((row) => places.map((at) => shorten(row[at]!, columns[at]!.name)));
  };
  return { columns: places.map((at) => columns[at]!), batches: read() };
}

// Findings that a suppression covers come back with the first hit after its end.
async function printEnding(connection: DuckDBConnection, world: World): Promise<void> {
  const shape = { detection: text, suppressedUntil: text };
  const now = toTimestamp(world.now());
  const ending = await queryRows(connection, "queries/findings/show.sql#ending", shape, { now });
  for (const { detection, suppressedUntil: until } of ending)
    notify(world, warning("suppression_ends", { detection, until }));
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

/** Writes the suppressions, each with how many findings it covers. */
export async function writeSuppressions(
  flags: OutputFlags,
  { home, config, flags: asked }: Settings,
  world: World,
): Promise<void> {
  await using database = await openPublished(home.published, readLimits(config));
  const question = buildSuppressionsQuestion(world.now());
  const rows = await runStatement(database.connection, bindQuestion(question), world.signal);
  await writeRows(rows, chooseRowFormat(flags), flags, world, plainPrinter(world, asked));
}
