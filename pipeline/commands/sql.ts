import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration.ts";
import { AuditlakeError, exitCode, UsageError } from "../errors.ts";
import { formatOfFile, renderRows, type RowFormat, rowFormats } from "../report/formats.ts";
import { printable } from "../report/printable.ts";
import { type Sink, streamSink } from "../report/sink.ts";
import { replaceFile } from "../report/write.ts";
import { settle } from "../settings.ts";
import { type Answer, QueryError, runSandboxed } from "../warehouse/sandbox.ts";
import type { World } from "../world.ts";
import { readStatement } from "./sql/statement.ts";

type Flags = {
  readonly file?: string;
  readonly format?: RowFormat;
  readonly out?: string;
  readonly raw?: true;
  readonly timeout: number;
  readonly maxRows: number;
  readonly explain?: true;
};

const maxBytes = 256 * 1e6;

// Beside this file, as TypeScript in a checkout and as JavaScript in the package.
const childFile = fileURLToPath(new URL(`./sql/child${extname(import.meta.url)}`, import.meta.url));

const notes = `
The query is one SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW or SUMMARIZE). It runs in a process of
its own that reads the published file and nothing else: no other file, no network, no extension. It can
read all of that file. The format is a table, unless --out ends in the extension of another one. A result
that is cut off by --max-rows or by ${maxBytes / 1e6} MB says so and ends with exit code ${exitCode.partial}.

Examples:
  auditlake sql "select area, count(*) as events from events group by area order by events desc"
  auditlake sql "show tables"
  auditlake sql --file denials.sql --out denials.csv
  echo "from users" | auditlake sql --format ndjson
  auditlake sql --explain "select count(*) from denials"`;

/** Registers `sql`: one read-only statement on the published file. */
export function sql(program: Command, world: World): void {
  program
    .command("sql")
    .description("run one read-only SQL statement on the published data")
    .argument("[query]", "the statement; without it, --file or stdin")
    .option("--file <file>", "read the statement from this file")
    .addOption(new Option("--format <format>", "form of the output").choices(rowFormats))
    .option("--out <file>", "write to this file")
    .option("--raw", "CSV and TSV: no apostrophe before text that a spreadsheet would run")
    .addOption(
      new Option("--timeout <duration>", "time the statement may take")
        .argParser(toDuration)
        .default(60_000, "60s"),
    )
    .option("--max-rows <count>", "rows to give out at most", toCount, 1_000_000)
    .option("--explain", "show the plan of the statement instead of running it")
    .addHelpText("after", notes)
    .action(async (query: string | undefined, flags: Flags, command: Command) => {
      const settings = settle(command, world);
      const format = chooseFormat(flags);
      const text = await readStatement(query, flags.file, world);
      const { memory_limit: memoryLimit, threads } = settings.config;
      const limits = {
        timeoutMs: flags.timeout,
        maxRows: flags.maxRows,
        maxBytes,
        memoryLimit,
        threads,
      };
      const explain = flags.explain === true;
      const task = { database: settings.home.published, sql: text, explain, childFile };
      try {
        await using answer = await runSandboxed(task, limits, world);
        const rows = await write(answer, format, flags, world);
        if (!settings.flags.quiet && !explain) world.stderr.write(countOf(rows, flags.out));
        warnOfCut(answer, flags, world);
      } catch (error) {
        throw error instanceof QueryError ? shown(error) : error;
      }
    });
}

function chooseFormat({ format, out }: Flags): RowFormat {
  const chosen = format ?? (out === undefined ? "table" : (formatOfFile(out) ?? "table"));
  if (chosen !== "parquet") return chosen;
  throw new UsageError(
    "sql does not write parquet, the database itself would have to write the file; save the query as a report and use report run NAME --format parquet --out FILE",
  );
}

async function write(
  answer: Answer,
  format: RowFormat,
  { out, raw, explain, format: asked }: Flags,
  world: World,
): Promise<number> {
  const fill = (sink: Sink): Promise<number> =>
    explain && asked === undefined
      ? writePlan(answer, sink)
      : renderRows(format, answer, sink, { raw, columns: world.stdout.columns });
  if (out === undefined) return fill(streamSink(world.stdout, world.signal));
  return replaceFile(out, ({ sink }) => fill(sink));
}

// A plan is drawn with line breaks, which a table would show escaped.
async function writePlan(answer: Answer, sink: Sink): Promise<number> {
  for await (const batch of answer.batches)
    for (const row of batch) await sink(`${printableLines(String(row[1])).trimEnd()}\n`);
  return 0;
}

function countOf(rows: number, out: string | undefined): string {
  const count = `${rows} ${rows === 1 ? "row" : "rows"}`;
  return out === undefined ? `${count}\n` : `${count}, ${printable(out)}\n`;
}

function warnOfCut(answer: Answer, { maxRows }: Flags, world: World): void {
  const cut = answer.cut();
  if (cut === undefined) return;
  const limit = cut === "rows" ? `${maxRows} rows (--max-rows)` : `${maxBytes / 1e6} MB`;
  world.stderr.write(
    `warning: cut off after ${limit}; there is more, ask for fewer rows or columns\n`,
  );
  process.exitCode = exitCode.partial;
}

function shown(error: QueryError): AuditlakeError {
  return new AuditlakeError(printableLines(error.message), error.exitCode);
}

function printableLines(text: string): string {
  return text.replaceAll("\t", " ").split("\n").map(printable).join("\n");
}

function toDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0 || ms > 86_400_000)
    throw new InvalidArgumentError("Expected a duration up to 1d, such as 60s or 5m.");
  return ms;
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}
