import { existsSync } from "node:fs";
import { AuditlakeError, exitCode } from "../errors.ts";
import type { World } from "../world.ts";
import { linesOf } from "./lines.ts";
import { advise } from "./query-advice.ts";
import { isRow, parseAnswer } from "./sandbox-answer.ts";
import type { QueryLimits } from "./sandbox-limits.ts";
import { SandboxProcess, type SandboxTask } from "./sandbox-process.ts";
import type { ResultColumn, Row, SandboxMessage, Stage } from "./sandbox-protocol.ts";

/** The limit that left rows out of an answer. */
type Cut = "rows" | "bytes";

/** The answer to a query, as it comes; closing it ends the query. */
export type Answer = AsyncDisposable & {
  readonly columns: readonly ResultColumn[];
  /** To be read once, as many rows at a time as have arrived; throws QueryError. */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Known once the rows are read. */
  readonly cut: () => Cut | undefined;
};

/** A statement that is refused (exit code 2), failed, or was stopped (exit code 1). */
export class QueryError extends AuditlakeError {
  override name = "QueryError";
  readonly stage: Stage | "stopped";

  constructor(stage: Stage | "stopped", text: string) {
    super(text, stage === "gate" ? exitCode.usage : exitCode.failed);
    this.stage = stage;
  }
}

/**
 * Runs one read-only statement in a process of its own, which can read the published file and nothing
 * else, and which time, memory, rows and bytes bound. Resolves when the columns are known; throws
 * QueryError, or AuditlakeError where nothing is published or Ctrl-C ended it.
 */
export async function runSandboxed(
  task: SandboxTask,
  limits: QueryLimits,
  world: World,
): Promise<Answer> {
  check(task);
  const process = new SandboxProcess(task, limits, world);
  const close = (): Promise<void> => process[Symbol.asyncDispose]();
  try {
    return { ...(await answerOf(process, task, limits)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function check({ database, sql }: SandboxTask): void {
  if (!existsSync(database))
    throw new AuditlakeError(
      `nothing published yet: ${database} does not exist; run auditlake ingest or import first`,
    );
  // The database takes its text up to the first NUL: the rest would go unseen by the gate.
  if (sql.includes("\0"))
    throw new QueryError("gate", "the query contains a NUL character; take it out");
}

async function answerOf(
  process: SandboxProcess,
  task: SandboxTask,
  limits: QueryLimits,
): Promise<Omit<Answer, typeof Symbol.asyncDispose>> {
  const messages = messagesOf(process, task, limits);
  const first = await messages.next();
  const [head, ...rest] = first.done ? [] : first.value;
  if (head === undefined || isRow(head) || !("columns" in head))
    throw new QueryError("stopped", "the query process answered without naming the columns");
  let more = false;
  const batches = async function* (): AsyncGenerator<readonly Row[]> {
    const restored = restoring(head.columns);
    for (let batch: readonly Line[] = rest; ;) {
      more ||= batch.some((line) => !isRow(line) && "end" in line && line.end.more);
      const rows = batch.filter(isRow).map(restored);
      if (rows.length > 0) yield rows;
      const next = await messages.next();
      if (next.done) return;
      batch = next.value;
    }
  };
  const cut = (): Cut | undefined =>
    more ? "rows" : process.stopReason === "bytes" ? "bytes" : undefined;
  return { columns: head.columns, batches: batches(), cut };
}

type Line = Row | SandboxMessage;

// Ends after the end message; throws where the child reports an error or its answer breaks off.
async function* messagesOf(
  process: SandboxProcess,
  task: SandboxTask,
  limits: QueryLimits,
): AsyncGenerator<readonly Line[]> {
  for await (const texts of linesOf(process.answer)) {
    const lines = texts.map(parseAnswer);
    const last = lines.at(-1)!;
    if (process.stopReason === "interrupted") break;
    if (!isRow(last) && "error" in last) {
      if (lines.length > 1) yield lines.slice(0, -1);
      const { stage, text } = last.error;
      if (process.stopReason === "timeout") break;
      throw new QueryError(
        stage,
        stage === "gate" ? text : advise(text, { ...task, ...limits, stage }),
      );
    }
    yield lines;
    if (!isRow(last) && "end" in last) return;
  }
  if (process.stopReason !== "bytes") throw await brokenOff(process, limits);
}

async function brokenOff(process: SandboxProcess, limits: QueryLimits): Promise<AuditlakeError> {
  const end = await process.ended;
  if (process.stopReason === "interrupted" || end === "SIGINT")
    return new AuditlakeError("interrupted", exitCode.interrupted);
  if (process.stopReason === "timeout")
    return new QueryError(
      "stopped",
      `stopped after ${limits.timeoutMs / 1000} s; ask for less, such as a shorter range of event_time, or raise --timeout`,
    );
  return new QueryError(
    "stopped",
    `the query process ended early (${end}), most likely for want of memory; ask for less, or raise memory_limit (${limits.memoryLimit}) in the configuration`,
  );
}

// Numbers that are none have no form in JSON and travel as text.
function restoring(columns: readonly ResultColumn[]): (row: Row) => Row {
  const inexact = columns.map(({ type }) => type === "DOUBLE" || type === "FLOAT");
  if (!inexact.includes(true)) return (row) => row;
  return (row) =>
    row.map((cell, i) => (inexact[i] && typeof cell === "string" ? Number(cell) : cell));
}
