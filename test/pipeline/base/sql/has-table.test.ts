import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { hasTable } from "../../../../pipeline/base/sql/instance.ts";

it("existing tables and views of any name are found, and other failures are thrown", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(`create table "a ""table""" (n integer); create view a_view as select 1`);
    await connection.run("create table gone (n integer); drop table gone");
    const found = ['a "table"', "A_VIEW", "gone", "nothing; drop"];
    const answers: boolean[] = [];
    for (const name of found) answers.push(await hasTable(connection, name));
    expect(answers).toEqual([true, true, false, false]);
    await connection.run("begin");
    expect(await hasTable(connection, "gone")).toBe(false);
    await connection.run("create table later (n integer); commit");
    expect(await hasTable(connection, "later")).toBe(true);
    await connection.run("begin");
    await expect(connection.run("select error('x')")).rejects.toThrow("x");
    await expect(hasTable(connection, "later")).rejects.toThrow(/aborted/);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
