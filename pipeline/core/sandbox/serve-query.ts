import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { once } from "node:events";
import { rmdirSync } from "node:fs";
import { Socket } from "node:net";
import { getMessage, UsageError } from "../../base/errors.ts";
import {
  prepareAgain,
  prepareAround,
  prepareExplain,
  prepareSelect,
  refuseParameters,
} from "../../base/sql/gate.ts";
import type { Question } from "../../base/sql/question.ts";
import { assertReadToEnd } from "../../base/sql/select.ts";
import { type CellForms, writeLine, readLines, writeRowLines } from "./row-lines.ts";
import { refuseOldStore } from "../store/fault.ts";
import { type HiddenSources, chooseHidden, withoutName } from "./hidden.ts";
import { givenDatabase, openLocked } from "./limits.ts";
import { answerDescriptor, interruptLine, type SandboxRequest, type Stage } from "./protocol.ts";
import type { Reach } from "../../base/rows/row.ts";

/** Shared with the reports of the package, so that both give equal results. */
export type ReportForms = CellForms & {
  /** Throws if the values do not match the parameters of the statement. */
  readonly bind: (prepared: DuckDBPreparedStatement, values: Question["values"]) => void;
  /** Resolves to the number of rows written. */
  readonly copyToParquet: (
    connection: DuckDBConnection,
    question: Question,
    path: string,
    limit: number | "all",
  ) => Promise<number>;
  readonly compile: (connection: DuckDBConnection, question: Question) => Promise<void>;
  readonly findReach: (connection: DuckDBConnection, source: string | undefined) => Promise<Reach>;
};

/**
 * The confined side of a query: answers the one request from stdin on its own descriptor, then ends the process. The
 * parent has emptied its environment, limited its resources and put it into an empty folder.
 */
export async function serveQuery(forms: ReportForms): Promise<void> {
  const answers = new Socket({ fd: answerDescriptor, readable: false, writable: true });
  let connection: DuckDBConnection | undefined;
  let isAsked = false;
  // Ctrl-C reaches the whole foreground group; the parent decides what it means.
  process.on("SIGINT", () => undefined);
  for await (const lines of readLines(process.stdin))
    for (const line of lines) {
      if (line === interruptLine) connection?.interrupt();
      else if (!isAsked) {
        isAsked = true;
        const request = JSON.parse(line) as SandboxRequest;
        void answer(request, forms, answers, (opened) => (connection = opened));
      }
    }
  // Without a parent the answer is not needed, and a running statement would delay an orderly exit.
  removeOwnFolder();
  process.kill(process.pid, "SIGKILL");
}

// Removes the folder only if it is empty, as it was created.
function removeOwnFolder(): void {
  try {
    rmdirSync(process.cwd());
  } catch {
    // The process has ended, or belongs to another user.
  }
}

async function answer(
  request: SandboxRequest,
  forms: ReportForms,
  answers: Socket,
  onOpen: (connection: DuckDBConnection) => void,
): Promise<void> {
  let stage: Stage = "open";
  const hidden = chooseHidden(request);
  const write = (text: string): boolean => answers.write(withoutName(text, hidden));
  try {
    const connection = await openLocked(request, hidden);
    onOpen(connection);
    stage = "prepare";
    await refuseOldStore(connection);
    const reach = await limitReach(connection, request, forms, hidden);
    const texts = writeAnswer(connection, request, forms, reach, () => (stage = "run"));
    for await (const text of texts) if (!write(text)) await once(answers, "drain");
  } catch (error) {
    if (error instanceof UsageError) stage = "gate";
    write(writeLine({ error: { stage, text: getMessage(error) } }));
  }
  answers.end(() => process.exit(0));
}

// How far a report's data reaches is read from the file itself, before another database takes its place.
async function limitReach(
  connection: DuckDBConnection,
  { isReport, source }: SandboxRequest,
  { findReach }: ReportForms,
  hidden: HiddenSources | undefined,
): Promise<Reach | undefined> {
  const readReach = async (): Promise<Reach | undefined> =>
    isReport ? findReach(connection, source) : undefined;
  if (hidden === undefined) return readReach();
  // Loaded on demand: rarely needed, and loading takes time.
  const { requireSource, replaceBySource } = await import("../store/limit-to-source.ts");
  await requireSource(connection, hidden.source);
  const found = await readReach();
  await replaceBySource(connection, hidden);
  return found;
}

async function* writeAnswer(
  connection: DuckDBConnection,
  request: SandboxRequest,
  forms: ReportForms,
  reach: Reach | undefined,
  onPrepared: () => void,
): AsyncGenerator<string> {
  const { result, maxRows } = request;
  if (result === "rows" || result === "plan") {
    const prepared = await prepareRows(connection, request, forms);
    onPrepared();
    const assertWhole = async (read: DuckDBResult): Promise<void> => {
      await assertReadToEnd(read, () => runAgain(connection, request, forms));
      await assertNotLogging(connection);
    };
    const rows = { result: await prepared.stream(), maxRows, assertWhole };
    return yield* writeRowLines(rows, forms, reach);
  }
  let rows = 0;
  if (result === "nothing") await forms.compile(connection, request);
  else if ("parquet" in result)
    rows = await forms.copyToParquet(connection, request, result.parquet, result.limit);
  else rows = await fillTable(connection, request, forms);
  await assertNotLogging(connection);
  yield writeLine({ columns: [], reach }) + writeLine({ end: { rows, more: false } });
}

async function prepareRows(
  connection: DuckDBConnection,
  { sql, values, result, isReport }: SandboxRequest,
  { bind }: ReportForms,
): Promise<DuckDBPreparedStatement> {
  if (result === "plan") return prepareExplain(connection, sql);
  const prepared = await prepareSelect(connection, sql);
  if (isReport) bind(prepared, values);
  else refuseParameters(prepared);
  return prepared;
}

async function runAgain(
  connection: DuckDBConnection,
  { sql, values, isReport }: SandboxRequest,
  { bind }: ReportForms,
): Promise<void> {
  const analysis = await prepareAgain(connection, sql);
  if (isReport) bind(analysis, values);
  await analysis.run();
}

// A function turns it on past the lock of the configuration. Where its file is out of reach, the next statement fails.
async function assertNotLogging(connection: DuckDBConnection): Promise<void> {
  const reader = await connection.runAndReadAll("select current_setting('enable_logging')");
  const [[isLogging]] = reader.getRows() as [[unknown]];
  if (isLogging === true || Number(isLogging) === 1)
    throw new Error("Permission Error: the query turns logging on");
}

// The next process that opens the file would have to replay the remaining log.
async function fillTable(
  connection: DuckDBConnection,
  { sql, values }: Question,
  { bind }: ReportForms,
): Promise<number> {
  const buildCreate = (select: string): string =>
    `create table ${givenDatabase}.rows as (${select})`;
  const prepared = await prepareAround(connection, sql, buildCreate);
  bind(prepared, values);
  const [row] = await (await prepared.run()).getRows();
  await connection.run(`checkpoint ${givenDatabase}`);
  return Number(row?.[0] ?? 0);
}
