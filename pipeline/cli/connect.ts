import { Argument, type Command } from "commander";
import { readSettings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { quoteWord } from "../base/command-line.ts";

const titles: Readonly<Record<Program, string>> = {
  duckdb: "The DuckDB shell",
  python: "Python",
  r: "R",
  node: "Node",
  jdbc: "A BI tool, by JDBC",
};

const notes = `
Each load replaces the file: programs that have it open see the previous data until they
open it again. Times are UTC.

Examples:
  auditlake connect
  auditlake connect python > look.py`;

/** Registers `connect`: how other programs open the published data. */
export function connect(program: Command, world: World): void {
  program
    .command("connect")
    .description("print how to open the published data in other programs")
    .addArgument(new Argument("[program]", "only for this program").choices(programs))
    .addHelpText("after", notes)
    .action((name: Program | undefined, _flags: unknown, command: Command) => {
      const { home, flags } = readSettings(command.optsWithGlobals(), world);
      requirePublished(home.published);
      if (name !== undefined) return void world.stdout.write(ways[name](home.published));
      const parts = programs.map(
        (each) => `${titles[each]}\n\n${ways[each](home.published).replaceAll(/^(?=.)/gm, "    ")}`,
      );
      world.stdout.write(parts.join("\n"));
      plainPrinter(world, flags)("\nauditlake connect PROGRAM prints one of them to run");
    });
}

const programs = ["duckdb", "python", "r", "node", "jdbc"] as const;
type Program = (typeof programs)[number];

/** What to type there. The published file is opened read-only, so that it never blocks a load. */
const ways: Readonly<Record<Program, (path: string) => string>> = {
  duckdb: (path) => `duckdb -readonly ${quoteWord(path)}\n`,
  python: (path) => `# pip install duckdb
import duckdb

with duckdb.connect(${JSON.stringify(path)}, read_only=True) as audit:
    audit.execute("set TimeZone = 'UTC'")
    print(audit.sql("select outcome, count(*) as events from events group by outcome order by outcome"))
`,
  r: (path) => `# install.packages("duckdb")
audit <- DBI::dbConnect(duckdb::duckdb(), dbdir = ${JSON.stringify(path)}, read_only = TRUE)
DBI::dbGetQuery(audit, "select outcome, count(*) as events from events group by outcome order by outcome")
DBI::dbDisconnect(audit, shutdown = TRUE)
`,
  node: (path) => `// npm install @duckdb/node-api
import { DuckDBInstance } from "@duckdb/node-api";

const instance = await DuckDBInstance.create(${JSON.stringify(path)}, { access_mode: "READ_ONLY" });
const audit = await instance.connect();
const reader = await audit.runAndReadAll("select outcome, count(*) as events from events group by outcome order by outcome");
console.log(reader.getRowObjectsJson());
`,
  jdbc: (path) => `url       jdbc:duckdb:${path}
driver    org.duckdb.DuckDBDriver, from the package org.duckdb:duckdb_jdbc
property  duckdb.read_only=true
`,
};
