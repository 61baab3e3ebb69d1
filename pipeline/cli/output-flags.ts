import { type Command, InvalidArgumentError, Option } from "commander";
import { rowFormats } from "../answers/report/formats.ts";
import type { RowLimit } from "../base/rows/row.ts";
import { rowsOnTerminal } from "../answers/report/output.ts";

/** Adds `--format`, `--out`, `--raw`, `--no-header`, `--separator` and `--limit`. */
export function withOutput(command: Command): Command {
  command
    .addOption(new Option("--format <format>", "form of the output").choices(rowFormats))
    .option("--out <file>", "write to this file; - is standard output");
  return withTextOptions(command).addOption(limitOption());
}

/** Adds what says how text is written: `--raw`, `--no-header` and `--separator`. */
export function withTextOptions(command: Command): Command {
  return command
    .option(
      "--raw",
      "CSV and TSV: text as it is, also what a spreadsheet would run or a terminal obey",
    )
    .option("--no-header", "table, CSV and TSV: without the names of the columns")
    .option("--separator <character>", String.raw`CSV: what stands between cells, such as ; or \t`);
}

/** `--limit`, a number of rows or `all`. */
export function limitOption(): Option {
  return new Option(
    "--limit <rows>",
    `rows to give out, or all (default: all, ${rowsOnTerminal} in a table on a terminal)`,
  ).argParser(toLimit);
}

function toLimit(text: string): RowLimit {
  if (text === "all") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1, or all.");
}

/** Adds `--queries`. */
export function withQueries(command: Command): Command {
  return command.option("--queries <dir>", "a folder of further reports");
}
