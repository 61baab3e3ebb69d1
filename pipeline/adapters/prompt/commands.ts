import {
  describeTable,
  listColumnRows,
  reportRows,
  findTable,
  listTableRows,
} from "../../answers/report/listing.ts";
import { UsageError } from "../../base/errors.ts";
import { selectReports, type Report } from "../../base/report/find.ts";
import { rowFormats, type RowFormat } from "../../answers/report/formats.ts";
import { writePlainStatement } from "../../answers/report/statement.ts";
import type { Rows } from "../../base/rows/row.ts";

export type Desk = {
  readonly reports: () => readonly Report[];
  readonly show: (rows: Rows) => Promise<void>;
  readonly print: (line: string) => void;
  readonly mode: () => RowFormat;
  readonly setMode: (mode: RowFormat) => void;
  readonly nowMs: () => number;
};

type Command = {
  readonly does: string;
  readonly run: (desk: Desk, name: string) => Promise<string | undefined> | string | undefined;
};

const commands: Readonly<Record<string, Command>> = {
  ".help": { does: "list these commands", run: (desk) => printHelp(desk) },
  ".tables": {
    does: "list the tables",
    run: async ({ show }) => (await show(listTableRows()), undefined),
  },
  ".schema": { does: "NAME: show the columns of a table and their meanings", run: showSchema },
  ".mode": {
    does: "FORMAT: set the output format: table, lines, csv, json and so on",
    run: changeMode,
  },
  ".reports": {
    does: "list the reports",
    run: async ({ show, reports }) => (await show(reportRows(reports(), false)), undefined),
  },
  ".open": { does: "REPORT: load its statement, to run with ; or to edit", run: open },
  ".quit": { does: "quit, like Ctrl-D", run: () => undefined },
};

export const commandNames: readonly string[] = Object.keys(commands);

/** Runs a command line that starts with a dot; returns a statement to edit, if any. Throws UsageError. */
export async function runCommand(line: string, desk: Desk): Promise<string | undefined> {
  const [name = "", ...rest] = line.replace(/;$/, "").trim().split(/\s+/);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new UsageError(`no command ${JSON.stringify(name)}; .help lists them`);
  return command.run(desk, rest.join(" "));
}

function printHelp({ print }: Desk): undefined {
  for (const [name, { does }] of Object.entries(commands)) print(`${name.padEnd(9)} ${does}`);
  print("A statement ends with ; and can have several lines. Tab completes, Ctrl-C cancels.");
}

async function showSchema({ show, print }: Desk, name: string): Promise<undefined> {
  if (name === "") throw new UsageError(".schema expects the name of a table; .tables lists them");
  const table = findTable(name);
  print(`${table.name}: ${describeTable(table)}`);
  await show(listColumnRows(table));
}

function changeMode({ print, mode: current, setMode }: Desk, name: string): undefined {
  const found = rowFormats.find((format) => format === name);
  if (found !== undefined) setMode(found);
  else if (name === "") print(`${current()}; others: ${rowFormats.join(", ")}`);
  else throw new UsageError(`no format ${JSON.stringify(name)}; expected ${rowFormats.join(", ")}`);
}

function open({ reports, print, nowMs }: Desk, name: string): string {
  if (name === "") throw new UsageError(".open expects the name of a report; .reports lists them");
  const [report] = selectReports(reports(), [name]);
  const text = writePlainStatement(report!, nowMs()).replace(/;\s*$/, "");
  print(text);
  return text;
}
