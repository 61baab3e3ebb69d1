import { DuckDBInstance } from "@duckdb/node-api";
import { catalog } from "../../schemas/generated/catalog.ts";

// The lower bound: the engine's own typed load of the same bytes into a table on disk, and nothing else. On one
// thread: with two, row groups are written twice.
const [, , file = "", database = "", memoryLimit = "500MB"] = process.argv;
const types = {
  text: "VARCHAR",
  integer: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  time: "BIGINT",
};
const columns = Object.entries(catalog.fields).map(([name, { type }]) => {
  // Times other than the event's own come in several forms; the bare load keeps them as text.
  const column = type === "time" && name !== "time" ? "VARCHAR" : types[type];
  return `"${name}": '${column}'`;
});
const reader = `read_json($file, format = 'newline_delimited', columns = {${columns.join(", ")}})`;

const instance = await DuckDBInstance.create(database, {
  memory_limit: memoryLimit,
  threads: "1",
  storage_compatibility_version: "v1.5.0",
});
const connection = await instance.connect();
await connection.run("set preserve_insertion_order = false");
await connection.run(`create table bare as select * from ${reader}`, { file });
await connection.run("checkpoint");
connection.closeSync();
instance.closeSync();
