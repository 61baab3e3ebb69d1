import { shellWord } from "../../base/command-line.ts";

/** The programs that open the published file. */
export const programs = ["duckdb", "python", "r", "node", "jdbc"] as const;
export type Program = (typeof programs)[number];

/** What to type there. The published file is opened read-only, so that it never blocks a load. */
export const ways: Readonly<Record<Program, (path: string) => string>> = {
  duckdb: (path) => `duckdb -readonly ${shellWord(path)}\n`,
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
