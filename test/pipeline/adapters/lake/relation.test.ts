import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DuckDBConnection } from "@duckdb/node-api";
import { createRelation } from "../../../../pipeline/adapters/lake/relation.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create();
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const typed = [
  ["varchar", "string"],
  ["bigint", "long"],
  ["integer", "integer"],
  ["double", "double"],
  ["boolean", "boolean"],
  ["date", "date"],
  ["timestamp", "timestamp_ntz"],
  ["uuid", "string"],
  ["json", "string"],
  ["varchar[]", "string"],
  ["enum ('a', 'b')", "string"],
] as const;

it("gives each column of a table the type that lake readers know", async () => {
  const columns = typed.map(([type], i) => `c${i} ${type}`);
  await connection.run(`create table kinds (${columns.join(", ")})`);
  const made = await createRelation(
    connection,
    { name: "kinds", order: "c0", isShared: true },
    "one",
  );
  expect(made.columns.map(({ name, type }) => [name, type])).toEqual([
    ...typed.map(([, type], i) => [`c${i}`, type]),
    ["ingester", "string"],
  ]);
});

it("prints what to do if the published file does not have a table", async () => {
  const table = { name: "of_tomorrow", order: "a" };
  await expect(createRelation(connection, table, "one")).rejects.toThrow(
    /has no of_tomorrow, .*; run auditlake publish/,
  );
});
