import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import {
  listDueTexts,
  recordKnown,
  storeTexts,
  countTextsLeft,
} from "../../../../pipeline/core/store/texts.ts";
import { prepareLoad } from "../../../../pipeline/core/store/loading/finish.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { issue } from "../load/jobs-of-texts.ts";

// What the database does with texts, for any reader.

const reading = (hash: string, table: string): Parameters<typeof storeTexts>[1][number] => ({
  text_hash: hash,
  state: "parsed",
  statements: 1,
  tables: [
    {
      statement_number: 1,
      statement_kind: "select",
      database_name: null,
      table_name: table,
      access: "read",
    },
  ],
  columns: [],
});

async function inLoad(
  home: TestHome,
  work: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await inWarehouse(home, async (connection) => {
    await prepareLoad(connection);
    await work(connection);
  });
}

async function touchedIn(connection: DuckDBConnection): Promise<unknown[]> {
  const sql = "select job_id || ' ' || table_name from query_table_rows order by all";
  return (await connection.runAndReadAll(sql)).getRows().map(([text]) => text);
}

it("pending texts come newest first, none larger than requested, each once", async () => {
  using home = await homeWithWarehouse();
  const texts = [
    "select 1 from a",
    "select 1 from a",
    `-- ${"ü".repeat(10)}`,
    "select 3 from hive",
  ];
  const types = ["presto", "presto", "presto", "hive"];
  await home.load(texts.map((text, day) => issue({ id: `${day}`, day, text, type: types[day]! })));
  await inLoad(home, async (connection) => {
    const readGiven = async (most: number, bytes: number): Promise<unknown> =>
      (await listDueTexts(connection, most, bytes)).map(({ dialect, text }) => [dialect, text]);
    const all = [
      ["hive", "select 3 from hive"],
      ["trino", texts[2]],
      ["trino", "select 1 from a"],
    ];
    expect(await readGiven(9, 23)).toEqual(all);
    expect(await readGiven(9, 22)).toEqual([all[0], ["trino", null], all[2]]);
    expect(await readGiven(2, 23)).toEqual(all.slice(0, 2));
    expect(await countTextsLeft(connection)).toBe(3);
  });
});

it("known results are reused for later jobs, and discarded for another version of the reader", async () => {
  using home = await homeWithWarehouse();
  const job = (id: number, text: string): object => issue({ id: `${id}`, day: id, text });
  await home.load([job(1, "select 1 from a"), job(2, "select 2 from b")]);
  await inLoad(home, async (connection) => {
    await storeTexts(connection, [], 1);
    const [second, first] = await listDueTexts(connection, 2, 100);
    await recordKnown(connection, 1);
    expect(await touchedIn(connection)).toEqual([]);
    await storeTexts(connection, [reading(first!.hash, "a")], 1);
    expect([await touchedIn(connection), await countTextsLeft(connection)]).toEqual([["1 a"], 1]);
    await storeTexts(connection, [reading(second!.hash, "b")], 1);
    expect([await touchedIn(connection), await countTextsLeft(connection)]).toEqual([
      ["1 a", "2 b"],
      0,
    ]);
    await recordKnown(connection, 1);
    expect(await touchedIn(connection)).toEqual(["1 a", "2 b"]);
  });
  await home.load([job(3, "select 1 from a")]);
  await inLoad(home, async (connection) => {
    expect(await countTextsLeft(connection)).toBe(0);
    expect(await touchedIn(connection)).toEqual(["1 a", "2 b"]);
    await recordKnown(connection, 1);
    expect(await touchedIn(connection)).toEqual(["1 a", "2 b", "3 a"]);
    await recordKnown(connection, 2);
    expect([await touchedIn(connection), await countTextsLeft(connection)]).toEqual([[], 2]);
    const [newest] = await listDueTexts(connection, 1, 100);
    await storeTexts(connection, [reading(newest!.hash, "a")], 2);
    expect(await touchedIn(connection)).toEqual(["1 a", "3 a"]);
    await recordKnown(connection, 3);
    expect(await touchedIn(connection)).toEqual([]);
  });
});
