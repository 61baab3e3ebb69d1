import { formatCommand } from "../base/command-line.ts";
import type { Command } from "commander";
import {
  describeTable,
  listColumnRows,
  listContractRows,
  findTable,
  listTableRows,
} from "../answers/report/listing.ts";
import { limitRows } from "../base/rows/row.ts";
import type { World } from "../base/world.ts";
import {
  type OutputFlags,
  chooseRowFormat,
  chooseRowLimit,
  formatRowCount,
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

/** Registers `tables`: the available tables and the meaning of every column. */
export function tables(program: Command, world: World): void {
  const verb = program
    .command("tables")
    .description("list tables and views with the meaning of each column")
    .argument("[name]", "show the columns of this table or view");
  withOutput(verb)
    .addHelpText("after", notes)
    .action(async (name: string | undefined, flags: OutputFlags, command: Command) => {
      const print = plainPrinter(world, command.optsWithGlobals<{ quiet?: true }>());
      const format = chooseRowFormat(flags);
      const table = name === undefined ? undefined : findTable(name);
      if (table !== undefined) print(`${table.name}: ${describeTable(table)}`);
      const names = format === "table" ? listTableRows() : listContractRows();
      const rows = table === undefined ? names : listColumnRows(table);
      const { result, total } = limitRows(rows, chooseRowLimit(flags, format, world));
      const shown = await writeRows(result, format, flags, world, print);
      print(formatRowCount({ shown, total: total() }, flags.limit, flags.out));
      if (table === undefined) print(`${formatCommand("tables", "NAME")} describes its columns`);
    });
}
