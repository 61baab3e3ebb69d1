import { commandText } from "../base/command-line.ts";
import type { Command } from "commander";
import {
  aboutOf,
  columnRows,
  contractRows,
  tableNamed,
  tableRows,
} from "../answers/report/listing.ts";
import { limited } from "../base/rows/row.ts";
import type { World } from "../base/world.ts";
import {
  type OutputFlags,
  rowFormatOf,
  rowLimitOf,
  rowsText,
  writeRows,
} from "../answers/report/output.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { withOutput } from "./output-flags.ts";

const notes = `
The table format shows the names; other formats include every column. The published file has the same
texts as comments: auditlake sql "select column_name, comment from duckdb_columns()".

Examples:
  auditlake tables
  auditlake tables events
  auditlake tables --format json --out contract.json`;

/** Registers `tables`: what can be asked, and what every column means. */
export function tables(program: Command, world: World): void {
  const verb = program
    .command("tables")
    .description("list tables and views with the meaning of each column")
    .argument("[name]", "show the columns of this table or view");
  withOutput(verb)
    .addHelpText("after", notes)
    .action(async (name: string | undefined, flags: OutputFlags, command: Command) => {
      const print = plainPrinter(world, command.optsWithGlobals<{ quiet?: true }>());
      const format = rowFormatOf(flags);
      const table = name === undefined ? undefined : tableNamed(name);
      if (table !== undefined) print(`${table.name}: ${aboutOf(table)}`);
      const names = format === "table" ? tableRows() : contractRows();
      const rows = table === undefined ? names : columnRows(table);
      const { result, total } = limited(rows, rowLimitOf(flags, format, world));
      const shown = await writeRows(result, format, flags, world, print);
      print(rowsText({ shown, total: total() }, flags.limit, flags.out));
      if (table === undefined) print(`${commandText("tables", "NAME")} describes its columns`);
    });
}
