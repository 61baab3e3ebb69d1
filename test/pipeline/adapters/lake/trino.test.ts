import { describe, expect, it } from "vitest";
import { bindSql } from "../../../../pipeline/adapters/lake/trino/pieces.ts";
import { failureLine } from "../../../support/failure.ts";
import { fakeEngine, statementsIn } from "./fake-engine.ts";

// The protocol of the engine against a server that plays its part; reports are compared with a real one in test/engine.

const engine = fakeEngine();

const columns = [
  { name: "big", type: "bigint" },
  { name: "at", type: "timestamp(6)" },
  { name: "text", type: "varchar" },
  { name: "share", type: "double" },
];

describe("an engine", () => {
  it("returns its rows in parts, each value as the database does", async () => {
    const row = ["9007199254740993n", "2026-03-01 10:20:30.123456", "it's", 0.1];
    engine.replies = [
      { nextUri: engine.at(1) },
      { columns, data: [row], nextUri: engine.at(2) },
      { columns, data: [[null, "2026-03-01 10:20:30.000000", null, "NaN"]] },
    ];
    const { code, out } = await engine.sql("select 1", "--format", "ndjson");
    expect([code, out]).toEqual([
      0,
      '{"big":9007199254740993,"at":"2026-03-01T10:20:30.123456Z","text":"it\'s","share":0.1}\n{"big":null,"at":"2026-03-01T10:20:30Z","text":null,"share":"NaN"}\n',
    ]);
    const [, statement] = engine.asked;
    // Tables as of the publication, and a query for any report.
    expect(statement!.body).toMatch(
      /^execute immediate 'with auditlake_publication as \(select 1 as publication\)/,
    );
    await engine.sql("select count(*) from events");
    expect(engine.asked.at(-3)!.body).toContain(
      'event_rows as (select * from "lake"."audit".event_rows for version as of 0)',
    );
  });

  it("returns columns of equal names separately, and the digits of nested numbers", async () => {
    const type = "array(bigint)";
    const twice = ["a", "a", "a:1"].map((name) => ({ name, type }));
    engine.replies = [{ columns: twice, data: [[["9007199254740993n", null], [2], []]] }];
    const { code, out } = await engine.sql("select 1", "--format", "ndjson");
    expect([code, out]).toEqual([0, '{"a":"[9007199254740993,null]","a:1":"[2]","a:1:1":"[]"}\n']);
  });

  it("is cancelled when its rows are no longer read", async () => {
    const data = Array.from({ length: 5 }, () => [1, null, null, null]);
    engine.replies = [
      { columns, data, nextUri: engine.at(1) },
      { columns, data, nextUri: engine.at(2) },
    ];
    const { code, err } = await engine.sql("select 1", "--max-rows", "7");
    expect([code, err]).toEqual([
      6,
      expect.stringContaining("output ends after 7 rows (--max-rows)"),
    ]);
    expect(engine.asked.at(-1)).toMatchObject({
      method: "DELETE",
      path: "/v1/statement/executing/2",
    });
  });

  it("that loses a node is queried again, and the loss is reported", async () => {
    const gone = { error: { errorName: "REMOTE_HOST_GONE", message: "127.0.0.1 is gone" } };
    engine.replies = [gone];
    const twice = await engine.sql("select 1");
    expect(failureLine(twice, 1, [])).toMatch(/lost a node during the query \(REMOTE_HOST_GONE\)/);
    expect(twice.err).toContain(
      "warning: the engine lost a node during the query; auditlake retries it",
    );
    expect(statementsIn(engine)).toHaveLength(2);
  });

  it("that loses a node while it works is queried again, unless rows were returned", async () => {
    const gone = { error: { errorName: "REMOTE_HOST_GONE", message: "127.0.0.1 is gone" } };
    const statements = (): number => statementsIn(engine).length;
    // The content is announced before any of it is sent.
    engine.replies = [{ columns, nextUri: engine.at(1) }, { columns, nextUri: engine.at(2) }, gone];
    const twice = await engine.sql("select 1");
    expect(failureLine(twice, 1, [])).toMatch(/lost a node during the query \(REMOTE_HOST_GONE\)/);
    expect([twice.err.includes("auditlake retries it"), statements()]).toEqual([true, 2]);
    engine.replies = [{ columns, data: [[1, null, null, null]], nextUri: engine.at(1) }, gone];
    const once = await engine.sql("select 1", "--format", "ndjson");
    expect([once.code, once.err]).toEqual([1, expect.stringContaining("lost a node")]);
    expect([once.err.includes("auditlake retries it"), statements()]).toEqual([false, 3]);
  });

  it.each([
    [
      "SYNTAX_ERROR",
      "line 1:8: mismatched input 'x'",
      /cannot run this statement: SYNTAX_ERROR: line 1:8/,
    ],
    [
      "INVALID_CAST_ARGUMENT",
      "Cannot cast 'top secret' to BIGINT",
      /the engine reports INVALID_CAST_ARGUMENT; see its log/,
    ],
    ["EXCEEDED_TIME_LIMIT", "Query exceeded", /exceeded the time limit/],
    [
      "TABLE_NOT_FOUND",
      "Table 'lake.audit.x' does not exist",
      /run the statements of auditlake (--config \S+ )?lake ddl/,
    ],
  ])(
    "that says %s is reported in one line, without values",
    async (errorName, message, printed) => {
      engine.replies = [{ error: { errorName, message, errorType: "USER_ERROR" } }];
      const outcome = await engine.sql("select 1");
      expect(failureLine(outcome, 1, ["top secret"])).toMatch(printed);
    },
  );

  it("that is too old, starting, missing, or names another address is refused in one line", async () => {
    engine.info = { nodeVersion: { version: "420" } };
    expect(failureLine(await engine.sql("select 1"), 1, [])).toMatch(
      /is Trino 420; expected 476 or later/,
    );
    engine.info = { nodeVersion: { version: "476" }, starting: true };
    expect(failureLine(await engine.sql("select 1"), 1, [])).toMatch(/is starting; run it again/);
    engine.info = { hello: "world" };
    expect(failureLine(await engine.sql("select 1"), 1, [])).toMatch(/is not Trino/);
    engine.info = { nodeVersion: { version: "476" } };
    engine.replies = [{ nextUri: "http://elsewhere.example/v1/statement/1" }];
    expect(failureLine(await engine.sql("select 1"), 1, [])).toMatch(
      /has another address for the next page/,
    );
    await engine.close();
    expect(failureLine(await engine.sql("select 1"), 1, [])).toMatch(
      /the connection was refused .*check engines\.trino\.url/,
    );
  });
});

describe("a statement", () => {
  it("sends values beside its text, by place and type", () => {
    const values = {
      who: { type: "text", value: "o'hara -- $who" },
      n: { type: "integer", value: "9223372036854775807" },
      since: { type: "timestamp", value: Date.parse("2026-03-01T10:20:30.500Z") },
      none: { type: "text", value: null },
    } as const;
    const text =
      "select '$who', \"$n\", $n -- $none\nfrom t where who = $who and at >= $since and $none is null and who <> $who";
    expect(bindSql(text, values)).toBe(
      "execute immediate 'select ''$who'', \"$n\", ? \nfrom t where who = ? and at >= ? and ? is null and who <> ?' using " +
        "cast('9223372036854775807' as bigint), cast('o''hara -- $who' as varchar), cast('2026-03-01 10:20:30.5' as timestamp(3)), cast(null as varchar), cast('o''hara -- $who' as varchar)",
    );
    expect(() => bindSql("select $other", values)).toThrow(/uses \$other/);
  });
});

describe("the setup statements for the engine", () => {
  it("name every table of the lake, and the views that are not tables", async () => {
    const { code, out } = await engine.home.lake(
      "ddl",
      "--engine",
      "trino",
      "--location",
      "s3://b/lake/",
    );
    expect(code).toBe(0);
    const statements = out.trimEnd().split(/;\n/);
    expect(statements[0]).toBe('create schema if not exists "lake"."audit"');
    expect(statements).toContain(
      "call \"lake\".system.register_table(schema_name => 'audit', table_name => 'event_rows', table_location => 's3://b/lake/event_rows')",
    );
    expect(out).toContain('create or replace view "lake"."audit_views".timeline as');
    // What Trino does not know.
    expect(out).not.toMatch(/arg_max|::|not materialized|\{'|blob|uuid/);
    expect(statements.flatMap(listUnplaced)).toEqual([]);
  });
});

// What a view reads that is neither in a schema nor named by the view itself.
function listUnplaced(sql: string): string[] {
  const own = new Set([...sql.matchAll(/\b(\w+) as \(/g)].map(([, name]) => name));
  const read = [...sql.matchAll(/\b(?:from|join)\s+(\w+)\b(?![.(])/g)].map(([, name]) => name!);
  return read.filter((name) => /^[a-z]/.test(name) && !own.has(name));
}
