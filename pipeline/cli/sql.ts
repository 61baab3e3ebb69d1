import { type Flags, warnOfCut } from "./sql/elsewhere.ts";
import { type Command, Option } from "commander";
import { AuditlakeError, exitCode, UsageError } from "../base/errors.ts";
import { engineNames } from "../../schemas/engines.ts";
import { escapeLineControls } from "../base/printable.ts";
import { prepareFormat, type RowFormat } from "../answers/report/formats.ts";
import { type Sink, newStreamSink } from "../answers/report/result.ts";
import { replaceFile } from "../answers/report/write.ts";
import { askStatement } from "../answers/ask/confined-engine.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { Answer } from "../core/sandbox/query.ts";
import type { World } from "../base/world.ts";
import {
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
  writeRows,
} from "../answers/report/output.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { newCountParser, newDurationParser } from "./flag-values.ts";
import { withOutput } from "./output-flags.ts";
import { addAbortSignal } from "node:stream";
import { readGiven } from "../base/home/given-file.ts";

const maxBytes = 256 * 1e6;
const statementTime = newDurationParser(
  { mostMs: 86_400_000 },
  "a duration up to 1d, such as 60s or 5m",
);

const notes = `
Without a query, a terminal opens a prompt with history, completion (Tab) and commands (.help).

The query is one SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW or SUMMARIZE). It runs in a separate
process that can read the whole published file, but no other file, network or extension. The format is
a table, unless --out has the extension of another format. A result that exceeds --max-rows or
${maxBytes / 1e6} MB is truncated, with a message and exit code ${exitCode.partial}.

Examples:
  auditlake sql
  auditlake sql "select area, count(*) as events from events group by area order by events desc"
  auditlake sql "from event('0a1b…')"   # one event by its event_key, fast in any table size
  auditlake sql "show tables"
  auditlake sql --file denials.sql --out denials.csv
  echo "from users" | auditlake sql --format ndjson
  auditlake sql --explain "select count(*) from denials"`;

/** Registers `sql`: one read-only statement on the published file. */
export function sql(program: Command, world: World): void {
  const verb = program
    .command("sql")
    .description("run read-only SQL on the published data: one statement, or an interactive prompt")
    .argument("[query]", "the statement; otherwise --file, stdin, or a prompt on a terminal")
    .option("--file <file>", "read the statement from this file");
  withOutput(verb)
    .addOption(
      new Option("--timeout <duration>", "time limit of the statement")
        .argParser(statementTime)
        .default(60_000, "60s"),
    )
    .option("--max-rows <count>", "fail after this many rows", newCountParser(9), 1_000_000)
    .option("--explain", "show the plan of the statement instead of running it")
    .addOption(
      new Option(
        "--engine <name>",
        "run on this engine, over the newest publication of the lake",
      ).choices(engineNames),
    )
    .addHelpText("after", notes)
    .action(async (query: string | undefined, flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const isPrompt = query === undefined && flags.file === undefined && isTerminal(world);
      if (isPrompt) {
        const { runSqlPrompt } = await import("./sql/prompt.ts");
        return runSqlPrompt(flags, settings, world, runQuery);
      }
      await runQuery(await readStatement(query, flags.file, world), flags, settings, world);
    });
}

function isTerminal({ stdin, stdout }: World): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

async function runQuery(
  sql: string,
  flags: Flags,
  settings: Settings,
  world: World,
): Promise<void> {
  if (flags.engine !== undefined) {
    const { runElsewhere } = await import("./sql/elsewhere.ts");
    return runElsewhere(sql, flags, settings, world);
  }
  const format = chooseRowFormat(flags);
  const isExplained = flags.explain === true;
  const result = isExplained ? "plan" : "rows";
  const asked = { sql, values: {}, isReport: false, result } as const;
  const limit = isExplained ? "all" : chooseRowLimit(flags, format, world);
  const maxRows = limit === "all" ? flags.maxRows : Math.min(limit, flags.maxRows);
  const time = { timeoutMs: flags.timeout, timeoutName: "--timeout" };
  const prepared = prepareFormat(format);
  await using answer = await askStatement(asked, { ...time, maxRows, maxBytes }, settings, world);
  await prepared;
  const print = plainPrinter(world, settings.flags);
  const rows = await write(answer, format, flags, world, print);
  const isLimited = answer.truncation() === "rows" && maxRows < flags.maxRows;
  const total = isLimited ? undefined : rows;
  if (!isExplained) print(formatRowCount({ shown: rows, total }, flags.limit, flags.out));
  if (!isLimited) warnOfTruncation(answer, flags, world);
}

async function write(
  answer: Answer,
  format: RowFormat,
  flags: Flags,
  world: World,
  print: (line: string) => void,
): Promise<number> {
  if (!flags.explain || flags.format !== undefined)
    return writeRows(answer, format, flags, world, print);
  if (flags.out === undefined) return writePlan(answer, newStreamSink(world.stdout, world.signal));
  return replaceFile(flags.out, ({ sink }) => writePlan(answer, sink));
}

// A plan is drawn with line breaks, which a table would show escaped.
async function writePlan(answer: Answer, sink: Sink): Promise<number> {
  for await (const batch of answer.batches)
    for (const row of batch) await sink(`${escapeLineControls(String(row[1])).trimEnd()}\n`);
  return 0;
}

function warnOfTruncation(answer: Answer, { maxRows }: Flags, world: World): void {
  const truncation = answer.truncation();
  if (truncation === undefined) return;
  const limit = truncation === "rows" ? `${maxRows} rows (--max-rows)` : `${maxBytes / 1e6} MB`;
  warnOfCut(limit, world);
}

const maxStatementBytes = 1_000_000;

/**
 * Reads a statement from the argument, the file, or stdin if it is no terminal. Throws UsageError without a statement,
 * for two, for invalid UTF-8, or above 1 MB. Throws AuditlakeError (exit code 130) if interrupted before the end of
 * stdin.
 */
async function readStatement(
  argument: string | undefined,
  file: string | undefined,
  world: World,
): Promise<string> {
  if (argument !== undefined && file !== undefined)
    throw new UsageError("found a query both as an argument and in --file; expected one of them");
  if (argument !== undefined) return argument;
  if (file !== undefined) return decodeText(readGiven(file, "the query"), file);
  if (world.stdin.isTTY)
    throw new UsageError("no query; expected it as an argument, in a --file or on standard input");
  return decodeText(await readAll(world), "stdin");
}

async function readAll({ stdin, signal }: World): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Whatever writes there may take its time.
  const stream = addAbortSignal(signal, stdin);
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk as Uint8Array));
      bytes += chunks.at(-1)!.length;
      if (bytes > maxStatementBytes) break;
    }
  } catch (error) {
    if (signal.aborted) throw new AuditlakeError("interrupted", exitCode.interrupted);
    throw error;
  }
  return Buffer.concat(chunks);
}

function decodeText(bytes: Buffer, where: string): string {
  if (bytes.length > maxStatementBytes)
    throw new UsageError(`the query from ${where} is larger than ${maxStatementBytes / 1e6} MB`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`the query from ${where} is not UTF-8 text`);
  }
}
