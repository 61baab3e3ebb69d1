import { type Command, InvalidArgumentError, Option } from "commander";
import { rowFormats } from "../answers/report/formats.ts";
import type { RowLimit } from "../base/rows/row.ts";
import { rowsOnTerminal } from "../answers/report/output.ts";

/** Adds `--format`, `--out`, `--raw`, `--no-header`, `--separator` and `--limit`. */
export function withOutput(command: Command): Command {
  command
    .addOption(new Option("--format <format>", "output format").choices(rowFormats))
    .option("--out <file>", "write to this file; - is standard output");
  return withTextOptions(command).addOption(limitOption());
}

/** Adds what says how text is written: `--raw`, `--no-header` and `--separator`. */
export function withTextOptions(command: Command): Command {
  return command
    .option(
      "--raw",
      "CSV and TSV: write texts unescaped, even if a spreadsheet or terminal would execute them",
    )
    .option("--no-header", "table, CSV and TSV: omit the column names")
    .option("--separator <character>", String.raw`CSV: separator of cells, such as ; or \t`);
}

/** `--limit`, a number of rows or `all`. */
export function limitOption(): Option {
  return new Option(
    "--limit <rows>",
    `maximum number of rows, or all (default: all, ${rowsOnTerminal} in a table on a terminal)`,
  ).argParser(toLimit);
}

function toLimit(text: string): RowLimit {
  if (text === "all") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1, or all.");
}

/** Adds `--queries`. */
export function withQueries(command: Command): Command {
  return command.option("--queries <dir>", "folder with your own reports");
}
