import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { statSync } from "node:fs";
import { resolveHome } from "../../pipeline/base/home/layout.ts";

export type Row = Readonly<Record<string, unknown>>;

// One database answers all queries of this process, with the file that was queried last attached to it. Creating one
// and reading a file's catalog takes thirty times as long as most queries.
let asker: Promise<DuckDBConnection> | undefined;
let attached: string | undefined;
let before: Promise<unknown> = Promise.resolve();

/** Rows of the published file of a home; 64-bit numbers and times come as text. */
export function queryRows(home: string, sql: string): Promise<Row[]> {
  const answer = before.then(() => ask(resolveHome(home).published, sql));
  before = answer.catch(() => undefined);
  return answer;
}

async function ask(file: string, sql: string): Promise<Row[]> {
  const connection = await (asker ??= newAsker());
  const { ino, mtimeMs, size } = statSync(file);
  const version = `${file} ${ino} ${mtimeMs} ${size}`;
  if (attached !== version) await attach(connection, file);
  attached = version;
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJson();
}

async function newAsker(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "500MB", threads: "1" });
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return connection;
}

// A file that did not open leaves none attached.
async function attach(connection: DuckDBConnection, file: string): Promise<void> {
  attached = undefined;
  await connection.run("use memory");
  await connection.run("detach database if exists published");
  await connection.run(`attach '${file.replaceAll("'", "''")}' as published (read_only)`);
  await connection.run("use published");
}
