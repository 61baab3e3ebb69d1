import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { readDigests, createRelation } from "../../../../pipeline/adapters/lake/relation.ts";

// Lakes contain digests of earlier versions: with another digest each of their days would be rewritten.

const rows = [
  ["2026-03-01", "prod", "it's ünï", 1],
  ["2026-03-01", "prod", "it's ünï", 1],
  ["2026-03-01", "prod", null, -7],
  ["2026-03-02", "", "a\u0000b\nc", null],
] as const;

/** As the first version that had a lake made it: `sum(md5_number_lower(text))`. */
const published = new Map([
  ["2026-03-01", "3-24814792727777085763-e5bbf8e8"],
  ["2026-03-02", "1-15654741401744881849-e5bbf8e8"],
]);

describe("the digest of a day", () => {
  it("equals the digest that earlier versions stored, so that no day is rewritten", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(
      "create table things (day date, source varchar, name varchar, number bigint)",
    );
    for (const row of rows)
      await connection.run("insert into things values (cast(? as date), ?, ?, ?)", [...row]);
    const table = { name: "things", day: { column: "day" }, order: "source, name" };
    const relation = await createRelation(connection, table, "feedfeedfeedfeed");
    expect(await readDigests(connection, relation)).toEqual(published);
    connection.closeSync();
    instance.closeSync();
  });
});
