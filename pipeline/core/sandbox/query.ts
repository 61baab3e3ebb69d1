import { AuditlakeError, exitCode, isBadStatement } from "../../base/errors.ts";
import type { Reach, Row, Rows } from "../../base/rows/row.ts";
import type { World } from "../../base/world.ts";
import { readLines } from "./row-lines.ts";
import { getEntryPath } from "../../base/home/assets.ts";
import { requirePublished } from "../../base/home/published.ts";
import { adviseOn, findConfinementHint } from "./advice.ts";
import { isRow, parseAnswer } from "./parse-answer.ts";
import type { QueryLimits } from "./limits.ts";
import { SandboxProcess, type SandboxTask } from "./confined-process.ts";
import type { ResultColumn, Row as SentRow, SandboxMessage, Stage } from "./protocol.ts";

/** What the process of a query runs: an entry of the program, beside its main one. */
export const queryProcess = getEntryPath("pipeline/answers/ask/query-child");

/** The limit that left rows out of an answer. */
type Truncation = "rows" | "bytes";

/** The answer to a query, as it comes; closing it ends the query. */
export type Answer = AsyncDisposable &
  // To be read once, as many rows at a time as have arrived; throws QueryError.
  Rows & {
    /** Known once the rows are read. */
    readonly truncation: () => Truncation | undefined;
    /** How many rows were given out or written; known once the rows are read, unless bytes cut them off. */
    readonly count: () => number;
    /** How far the data reaches; only of a report. */
    readonly reach: Reach | undefined;
  };

/** A statement that is refused (exit code 2), failed, or was stopped (exit code 1). */
export class QueryError extends AuditlakeError {
  override name = "QueryError";
  readonly stage: Stage | "stopped";
  /** What the database said, as it said it; undefined where it was not the database. */
  readonly databaseText: string | undefined;
  /** What the query is confined to, where it ran up against that. */
  readonly hint: string | undefined;

  constructor(stage: Stage | "stopped", text: string, databaseText?: string) {
    super(text, stage === "gate" ? exitCode.usage : exitCode.failed, {
      isBadStatement: databaseText !== undefined && isBadStatement(new Error(databaseText)),
    });
    this.stage = stage;
    this.databaseText = databaseText;
    this.hint = databaseText === undefined ? undefined : findConfinementHint(databaseText);
  }
}

/**
 * Runs one read-only statement in a separate process that can read only the published file, with limits on time,
 * memory, rows and bytes. Resolves when the columns are known; throws QueryError, or AuditlakeError without a published
 * file or after Ctrl-C.
 */
export async function runSandboxed(
  task: SandboxTask,
  limits: QueryLimits,
  world: World,
): Promise<Answer> {
  requirePublished(task.database);
  const process = new SandboxProcess(task, limits, world);
  const close = (): Promise<void> => process[Symbol.asyncDispose]();
  try {
    return { ...(await openAnswer(process, task, limits)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAnswer(
  process: SandboxProcess,
  task: SandboxTask,
  limits: QueryLimits,
): Promise<Omit<Answer, typeof Symbol.asyncDispose>> {
  const messages = readMessages(process, task, limits);
  const first = await messages.next();
  const [head, ...rest] = first.done ? [] : first.value;
  if (head === undefined || isRow(head) || !("columns" in head))
    throw new QueryError("stopped", "the query process returned no column names");
  let end: End | undefined;
  const readBatches = async function* (): AsyncGenerator<readonly Row[]> {
    const restored = newRestorer(head.columns);
    for (let batch: readonly Line[] = rest; ;) {
      const last = batch.at(-1);
      if (last !== undefined && !isRow(last) && "end" in last) end = last.end;
      yield batch.filter(isRow).map(restored);
      const next = await messages.next();
      if (next.done) return;
      batch = next.value;
    }
  };
  const getTruncation = (): Truncation | undefined =>
    end?.more ? "rows" : process.stopReason === "bytes" ? "bytes" : undefined;
  const { columns, reach } = head;
  return {
    columns,
    reach,
    batches: readBatches(),
    truncation: getTruncation,
    count: () => end!.rows,
  };
}

type Line = SentRow | SandboxMessage;
type End = Extract<SandboxMessage, { readonly end: unknown }>["end"];

// Ends after the end message; throws where the child reports an error or its answer breaks off.
async function* readMessages(
  process: SandboxProcess,
  task: SandboxTask,
  limits: QueryLimits,
): AsyncGenerator<readonly Line[]> {
  for await (const texts of readLines(process.answer)) {
    const lines = texts.map(parseAnswer);
    const last = lines.at(-1)!;
    if (process.stopReason === "interrupted") break;
    if (!isRow(last) && "error" in last) {
      if (lines.length > 1) yield lines.slice(0, -1);
      const { stage, text } = last.error;
      if (process.stopReason === "timeout") break;
      if (stage === "gate") throw new QueryError(stage, text);
      throw new QueryError(stage, adviseOn(text, { ...task, ...limits, stage }), text);
    }
    yield lines;
    if (!isRow(last) && "end" in last) return;
  }
  if (process.stopReason !== "bytes") throw await describeBreak(process, limits);
}

async function describeBreak(
  process: SandboxProcess,
  limits: QueryLimits,
): Promise<AuditlakeError> {
  const end = await process.ended;
  if (process.stopReason === "interrupted" || end === "SIGINT")
    return new AuditlakeError("interrupted", exitCode.interrupted);
  if (process.stopReason === "timeout")
    return new QueryError(
      "stopped",
      `stopped after ${limits.timeoutMs / 1000} s; request less, such as a shorter range of event_time, or raise ${limits.timeoutName}`,
    );
  return new QueryError(
    "stopped",
    `the query process ended early (${end}), most likely because of too little memory; request less, or raise ${limits.memoryName ?? "memory_limit"} (${limits.memoryLimit}) in the configuration`,
  );
}

const inexact = new Set(["DOUBLE", "FLOAT"]);
const integer = new Set(["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"]);

// What JSON has no form for travels as text.
function newRestorer(columns: readonly ResultColumn[]): (row: SentRow) => Row {
  const kinds = columns.map(({ type }) =>
    inexact.has(type) ? Number : integer.has(type) ? BigInt : undefined,
  );
  if (kinds.every((kind) => kind === undefined)) return (row) => row;
  return (row) =>
    row.map((cell, i) => (typeof cell === "string" ? (kinds[i]?.(cell) ?? cell) : cell));
}
