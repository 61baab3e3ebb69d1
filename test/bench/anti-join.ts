import { DuckDBInstance } from "@duckdb/node-api";

// What a ten-line script does: rows that are missing by id and hash are inserted; the rest of the record is one
// column. A bad line ends it, records without an id are lost or duplicated, no raw pages are stored.
const [, , file = "", database = ""] = process.argv;
const instance = await DuckDBInstance.create(database, { memory_limit: "500MB" });
const connection = await instance.connect();
await connection.run("set preserve_insertion_order = false");
// All records are sampled: a key that is missing in the first ones would end it.
const rows =
  "select *, hash(r) as row_hash from read_json($file, format = 'newline_delimited', sample_size = -1) as r";
await connection.run(`create table if not exists log as ${rows} limit 0`, { file });
const known = "(select 1 from log as l where l.id = n.id and l.row_hash = n.row_hash)";
await connection.run(
  `insert into log by name select * from (${rows}) as n where not exists ${known}`,
  { file },
);
connection.closeSync();
instance.closeSync();
