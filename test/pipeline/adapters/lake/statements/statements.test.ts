import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindSql } from "../../../../../pipeline/adapters/lake/trino/pieces.ts";
import { withNames } from "../../../../../pipeline/adapters/lake/trino/own-names.ts";
import { pinSql } from "../../../../../pipeline/adapters/lake/trino/pin-sql.ts";
import type { Publication } from "../../../../../pipeline/adapters/lake/publication.ts";
import { lakeTables } from "../../../../../pipeline/adapters/lake/tables.ts";
import { piecesFrom, statementFrom, tables, views } from "./play.ts";

// A statement for the engine means the same as on the database, with any texts, comments and names.

const seed = Number(process.env["STATEMENTS_SEED"] ?? Date.now() % 1_000_000);
const rounds = 300;

const publication: Publication = {
  format: 1,
  publication: 1,
  at: "2026-03-01T00:00:00Z",
  ingesters: { a: { sources: ["default"], published_at: null, tool_version: "1" } },
  tables: Object.fromEntries(lakeTables.map(({ name }) => [name, { version: 7 }])),
};
const place = { catalog: "lake", schema: "audit" };

const send = (sql: string): string => bindSql(pinSql(sql, publication, place), {});

/** The tables that a statement reads as of the publication. */
const pinnedIn = (sql: string): string[] =>
  [...pinSql(sql, publication, place).matchAll(/\."audit"\.(\w+) for version as of 7/g)]
    .map(([, name]) => name!)
    .sort();

describe("a statement for the engine", () => {
  it.each([
    ["select count(*) from user_history, quarantine", ["quarantine", "user_history"]],
    ["select 1 from (user_history cross join quarantine)", ["quarantine", "user_history"]],
    ["select 1 from a where x in (table quarantine)", ["quarantine"]],
    ["select 'from quarantine' from /* it's */ user_history -- , quarantine", ["user_history"]],
    ['select "from" from "user_history"', ["user_history"]],
    ["select sum(quarantine), t.policies from user_history as t", ["user_history"]],
    ["select 1 from other.quarantine, lake.audit.policies", []],
    ["with quarantine as (select 1 as x) select x from quarantine", []],
    ["with q as (select 1), quarantine as (select 1) select 1 from q, quarantine", []],
    ["with quarantine as (select 1 from quarantine) select 1 from quarantine", ["quarantine"]],
    ["with recursive quarantine as (select 1 from quarantine) select 1", []],
  ])("%s reads as of the publication: %j", (sql, names) => {
    expect(pinnedIn(sql)).toEqual(names);
  });

  it.each([
    ["select 'a--b' as x, 1 as y", "select ''a--b'' as x, 1 as y"],
    ["select '/*' as x /* it's /* so */ */, '*/';", "select ''/*'' as x  , ''*/''"],
    ['select "--" from (select 1 as "--") -- over', 'select "--" from (select 1 as "--")'],
  ])("%s is sent with its query texts", (sql, text) => {
    expect(send(sql)).toBe(
      `execute immediate 'with auditlake_publication as (select 1 as publication)\n${text}'`,
    );
  });

  it("includes the functions that it calls, and no other", () => {
    const called = send("select in_network('192.0.2.1', '192.0.2.0/24')");
    expect(called).toMatch(/^execute immediate 'with function in_network\(/);
    expect(called).toContain("with auditlake_publication as (select 1 as publication)");
    expect(send("select 'in_network(' as x")).not.toContain("function");
  });

  it("marks only a recursive query as recursive", () => {
    const grown = "with recursive t (n) as (select 1 union all select n + 1 from t where n < 9)";
    expect(pinSql(`${grown} select n from t, quarantine`, publication, place)).toBe(
      'with quarantine as (select * from "lake"."audit".quarantine for version as of 7),\n' +
        "t (n) as (with recursive t (n) as (select 1 union all select n + 1 from t where n < 9)\n" +
        'select * from "t")\nselect n from t, quarantine',
    );
  });
});

describe("the text of a statement", () => {
  it(`is sent to the engine without its comments, otherwise unchanged, seed ${seed}`, () => {
    const values = { since: { type: "text", value: null } } as const;
    for (let round = 0; round < rounds; round++) {
      const { text, sent: expected } = piecesFrom(seed, round);
      const bound = bindSql(text, values).replace(/( using cast\(null as varchar\).*)?$/, "");
      const found = /^execute immediate '(.*)'$/s.exec(bound)![1]!.replaceAll("''", "'");
      const spaces = /\s+/g;
      expect([text, found.replace(spaces, " ").trim()], `round ${round}`).toEqual([
        text,
        expected.replace(spaces, " ").trim(),
      ]);
    }
  });
});

describe("the tables of a statement", () => {
  const at = (name: string): string => `"lake"."audit".${name}`;
  const given = [
    ...tables.map((name) => ({ name, sql: () => `select * from ${at(name)}` })),
    ...Object.entries(views).map(([name, sql]) => ({ name, sql: () => sql })),
  ];
  let connection: DuckDBConnection;
  let instance: DuckDBInstance;

  beforeAll(async () => {
    instance = await DuckDBInstance.create(":memory:");
    connection = await instance.connect();
    await connection.run("attach ':memory:' as lake");
    await connection.run("create schema lake.audit");
    await connection.run("use lake.audit");
    for (const [i, name] of tables.entries())
      await connection.run(
        `create table ${name} as select ${i + 1} as x union all select ${i + 20}`,
      );
    for (const [name, sql] of Object.entries(views))
      await connection.run(`create view ${name} as ${sql}`);
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });

  // Where the names are known, or where they are not.
  async function queryRows(sql: string, where: "lake.audit" | "memory.main"): Promise<string> {
    await connection.run(`use ${where}`);
    try {
      return JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson());
    } catch (error) {
      return String(error).split("\n")[0]!;
    }
  }

  it(`are those that the database reads, with any names that the statement defines, seed ${seed}`, async () => {
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const sql = statementFrom(seed, round);
      const expected = await queryRows(sql, "lake.audit");
      if (!expected.startsWith("[")) refused += 1;
      else
        expect(
          [sql, await queryRows(withNames(sql, given), "memory.main")],
          `round ${round}`,
        ).toEqual([sql, expected]);
    }
    expect(refused).toBeLessThan(rounds / 20);
  });
});
