import { createRequire } from "node:module";
import type duckdb from "@duckdb/node-bindings";

// Where the program would write its log into the database, after it has printed what it loaded, it stays, so that a test
// can kill it there.
const require = createRequire(import.meta.url);
const path = require.resolve("@duckdb/node-bindings");
const bindings = require(path) as typeof duckdb;
let isLoaded = false;
const write = process.stderr.write.bind(process.stderr);
process.stderr.write = (text: string | Uint8Array): boolean => {
  isLoaded ||= String(text).includes(" records, ");
  return write(text);
};
const query: typeof duckdb.query = (connection, sql) => {
  if (sql !== "checkpoint" || !isLoaded) return bindings.query(connection, sql);
  write("the checkpoint is held\n");
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
};
require.cache[path]!.exports = Object.create(bindings, { query: { value: query } });
