import { DuckDBInstance } from "@duckdb/node-api";

// What ten lines do: rows that are not there by id and hash go in; the rest of the record is one column. A bad line ends
// it, records without an id are lost or doubled, nothing is landed.
const [, , file = "", database = ""] = process.argv;
const instance = await DuckDBInstance.create(database, { memory_limit: "500MB" });
const connection = await instance.connect();
await connection.run("set preserve_insertion_order = false");
// All records are sampled: a key that none of the first ones has would end it.
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
