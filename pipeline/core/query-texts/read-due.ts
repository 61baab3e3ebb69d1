import { warning } from "../../base/notice/notice.ts";
import { type Print } from "../../base/notice/printer.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError, getMessage } from "../../base/errors.ts";
import type { TouchedObjects } from "./touched-tables.ts";
import type { Settings } from "../../base/home/settings.ts";
import {
  type DueText,
  listDueTexts,
  type ReadText,
  recordKnown,
  storeTexts,
  countTextsLeft,
} from "../store/texts.ts";
import { countText } from "../../base/terminal/amounts.ts";
import type { World } from "../../base/world.ts";
import { TextReader } from "./reader-process.ts";

// Reads the texts that query jobs run, once rows are published and for a bounded time. The next runs read the rest.
// Nothing that happens here makes a run fail but what keeps the database from committing.

/** To be raised whenever the same text may touch something else than before: all are read again then. */
const reader = 2;

// The process ends itself after a second of processor time; on a busy machine that takes longer.
const textMs = 20_000;
const textBytes = 256 * 1024;
const atOnce = 500;
const printFrom = 5000;

const variable = "AUDITLAKE_QUERY_TEXTS_TIME_LIMIT";

// Who else writes waits meanwhile.
const share = 0.1;
const leastMs = 10_000;

/**
 * The time limit of a run for texts in milliseconds, of the environment or the configuration; undefined for a share of
 * the run, 0 for never. Throws UsageError where the environment holds no duration.
 */
export function chooseTextLimit({ config }: Settings, { env }: World): number | undefined {
  const given = env[variable];
  if (given === undefined) return config.query_texts.time_limit;
  const limitMs = parseDuration(given);
  if (limitMs !== undefined) return limitMs;
  throw new UsageError(
    `${variable} is ${JSON.stringify(given)}; expected a duration such as 30s or 2m, 0s for never`,
  );
}

/** The share of a run that has taken so long. */
export function textShareOf(runMs: number): number {
  return Math.max(leastMs, share * runMs);
}

/** Assigns known results of texts to jobs. Resolves to whether unread texts remain. */
export function bringKnownTexts(connection: DuckDBConnection): Promise<boolean> {
  return recordKnown(connection, reader);
}

/** Reads the texts that remain, for at most so long; prints how many are pending, unless quiet. */
export async function readTexts(
  connection: DuckDBConnection,
  limitMs: number,
  world: World,
  print: Print,
  isQuiet: boolean,
): Promise<void> {
  const note = isQuiet ? (): void => undefined : print;
  const waiting = await countTextsLeft(connection);
  if (waiting >= printFrom) note(`parsing query texts: ${countText(waiting)} pending`);
  const untilMs = performance.now() + limitMs;
  const isOver = (): boolean => world.signal.aborted || performance.now() >= untilMs;
  try {
    await using readers = newFreshReaders(world);
    while (!isOver()) {
      const due = await listDueTexts(connection, atOnce, textBytes);
      if (due.length === 0) return;
      await storeTexts(connection, await readAll(due, readers, isOver), reader);
    }
  } catch (error) {
    if (!(error instanceof ReaderFault)) throw error;
    return print(warning("texts_waiting", { why: error.message }));
  }
  const left = await countTextsLeft(connection);
  if (left > 0)
    note(
      `pending query texts: ${countText(left)}; the next runs parse them, newest first; to parse them now: ${variable}=1h ${formatCommand("publish")}`,
    );
}

class ReaderFault extends Error {}

async function readAll(
  due: readonly DueText[],
  readers: Readers,
  isOver: () => boolean,
): Promise<ReadText[]> {
  const readings: ReadText[] = [];
  for (const text of due) {
    if (isOver()) break;
    readings.push(await readOne(text, readers));
  }
  return readings;
}

async function readOne({ hash, text, dialect }: DueText, readers: Readers): Promise<ReadText> {
  const nothing = { text_hash: hash, statements: 0, tables: [], columns: [] };
  if (text === null) return { ...nothing, state: "too_large" };
  const answer = await readers.read(text, dialect);
  if (answer === undefined) return { ...nothing, state: "timed_out" };
  const { state, statements } = answer;
  return { ...nothing, state, statements, ...toRows(answer) };
}

function toRows({ tables, columns }: TouchedObjects): Pick<ReadText, "tables" | "columns"> {
  return {
    tables: tables.map(({ statement, kind, database, table, access }) => ({
      statement_number: statement,
      statement_kind: kind,
      database_name: database,
      table_name: table,
      access,
    })),
    columns: columns.map(({ statement, database, table, column, access }) => ({
      statement_number: statement,
      database_name: database,
      table_name: table,
      column_name: column,
      access,
    })),
  };
}

type Readers = AsyncDisposable & {
  readonly read: (text: string, dialect: DueText["dialect"]) => ReturnType<TextReader["read"]>;
};

// One process for as long as it answers, then the next.
function newFreshReaders(world: World): Readers {
  let current: TextReader | undefined;
  const close = async (): Promise<void> => {
    await current?.[Symbol.asyncDispose]();
    current = undefined;
  };
  return {
    read: async (text, dialect) => {
      try {
        current ??= new TextReader(world);
        const answer = await current.read({ text, dialect }, textMs);
        if (answer === undefined) await close();
        return answer;
      } catch (error) {
        throw new ReaderFault(getMessage(error));
      }
    },
    [Symbol.asyncDispose]: close,
  };
}
