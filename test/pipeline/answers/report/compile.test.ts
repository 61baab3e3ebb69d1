import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { compileQuestion, prepareToCompile } from "../../../../pipeline/base/sql/select.ts";
import type { ParamValue } from "../../../../pipeline/base/sql/question.ts";

const text: ParamValue = { type: "text", value: "a" };
const moment: ParamValue = { type: "timestamp", value: 0 };

it("a value of another type than the statement expects is found for any parameter", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await prepareToCompile(connection);
  const sql = "select substr($a, 1), substr($b, 1), substr($c, 1)";
  const compile = (values: Readonly<Record<string, ParamValue>>): Promise<void> =>
    compileQuestion(connection, { sql, values });
  const fitting = { a: text, b: text, c: text };
  await compile(fitting);
  for (const name of Object.keys(fitting))
    await expect(compile({ ...fitting, [name]: moment })).rejects.toThrow(/substr.*TIMESTAMP/s);
  connection.closeSync();
  instance.closeSync();
});
