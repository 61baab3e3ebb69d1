import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listChartColumns } from "../../pipeline/base/report/chart-form.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { findUnportable } from "../../pipeline/adapters/lake/trino/portable.ts";
import { migrate } from "../../pipeline/core/store/migrate.ts";
import { projectPath } from "../docs/pages.ts";
import { oracles } from "./oracle/all.ts";
import { reports, runReport } from "./run.ts";

// The rules for a report file (CONTRIBUTING.md): standard SQL that runs elsewhere too, and the same bytes each time.
const families = [
  "access",
  "denials",
  "egress",
  "people",
  "permission_changes",
  "pipeline",
  "query_activity",
];
// What runs elsewhere as well is not forbidden there: it is how these files are written.
const forbidden: Readonly<Record<string, RegExp>> = {
  star: /\bselect\s+(distinct\s+)?(\w+\.)?\*/,
  "table behind the views": /\bevent_rows\b|\buser_history\b|\blast_known_users\b/,
  "two statements": /;/,
  "decimal literal": /\b\d+\.\d+\b/,
  // Nulls are last in every engine this runs on unless stated otherwise.
  "order of nulls": /\bnulls\s+(first|last)\b/,
};

// What is in no audit record: these tests draw ledgers and deliveries, and compare the reports with oracles of their own.
const comparedElsewhere = ["ledger-reports", "delivery-reports", "runs-report"].flatMap((name) => {
  const text = readFileSync(projectPath(`test/queries/${name}.test.ts`), "utf8");
  return reports.map((report) => report.name).filter((each) => text.includes(`"${each}"`));
});

const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
beforeAll(() =>
  migrate(connection, async () => ({
    sql: readAsset("schemas/generated/catalog.sql"),
    extra: null,
  })),
);
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

test("each of the families has at least four reports, and no other family exists", () => {
  const sizes = Object.fromEntries(
    [...Map.groupBy(reports, (report) => report.family)].map(([family, all]) => [
      family,
      all.length,
    ]),
  );
  expect(Object.keys(sizes).sort()).toEqual(families);
  for (const family of families) expect(sizes[family]).toBeGreaterThanOrEqual(4);
});

describe.each(reports)("$name", (report) => {
  const statement = getStatement(report.sql);

  test("has a complete header", () => {
    expect(report.question ?? report.title).toMatch(/\?$/);
    if (report.question !== undefined) expect(report.title).toMatch(/^[A-Z][^?]*[^?.]$/);
    expect(report.grain).toMatch(/^one row per /);
    expect(report.file).toBe(`queries/reports/${report.family}/${report.name}.sql`);
    const since = { name: "since", type: "timestamp", defaultText: "7d" };
    const until = { name: "until", type: "timestamp", defaultText: "now" };
    const on = { name: "on", type: "timestamp", defaultText: "now" };
    const time = report.params[0]?.name === "on" ? [on] : [since, until];
    expect(report.params.slice(0, time.length)).toEqual(time);
    // Who or what it is about, right after the range.
    const needed = report.params.filter(({ defaultText }) => defaultText === undefined);
    expect(report.params.slice(time.length, time.length + needed.length)).toEqual(needed);
  });

  test("has an oracle", () => {
    expect([...Object.keys(oracles), ...comparedElsewhere]).toContain(report.name);
  });

  test("is standard SQL in lower case", () => {
    const code = statement.replaceAll(/'[^']*'/g, "''");
    expect(code).toBe(code.toLowerCase());
    for (const [name, pattern] of Object.entries(forbidden))
      expect(code, name).not.toMatch(pattern);
  });

  test("has nothing that an engine does not know, or reads differently", () => {
    expect(findUnportable(report.sql)).toEqual([]);
  });

  test("has a total order", () => {
    const depth = depths(statement);
    const at = [...statement.matchAll(/\border by\b/g)].at(-1)?.index ?? -1;
    expect(at).toBeGreaterThan(0);
    expect(depth[at]).toBe(0);
    expect(statement.slice(at)).not.toMatch(/\b(select|from|where|group by|having)\b/);
  });

  test("compiles and runs on an empty database, with distinct listed columns", async () => {
    const { columns, rows } = await runReport(connection, report, new Map());
    expect(rows).toEqual([]);
    expect(new Set(columns).size).toBe(columns.length);
    // What goes out is of no source.
    const isDelivery = /^(delivery_history|undelivered_rows)$/.test(report.name);
    if (!isDelivery) expect(columns.at(-1)).toBe("source");
    expect(columns).toEqual(listedColumns(statement));
    for (const column of columns) expect(column).toMatch(/^[a-z][a-z0-9_]*$/);
    // A list of events can be activated by the key of its events, and a hit leads to one.
    const isKeyed = columns.includes("event_time") || report.detection !== undefined;
    expect(columns.includes("event_key")).toBe(isKeyed);
    if (report.chart)
      expect(columns).toEqual(expect.arrayContaining(listChartColumns(report.chart)));
    const [, linked] = /^report:(.*)/.exec(report.chart?.link ?? "") ?? [];
    if (linked !== undefined) expect(reports.map(({ name }) => name)).toContain(linked);
  });
});

function getStatement(sql: string): string {
  return sql.replaceAll(/--.*$/gm, "").trim();
}

// The number of open parentheses before each character.
function depths(text: string): number[] {
  let depth = 0;
  const code = text.replaceAll(/'[^']*'/g, (literal) => literal.replaceAll(/[()]/g, "_"));
  return [...code].map((letter) => {
    if (letter === ")") depth--;
    const here = depth;
    if (letter === "(") depth++;
    return here;
  });
}

/** The names that the last select outside parentheses lists: its aliases, else its columns. */
function listedColumns(statement: string): string[] {
  const depth = depths(statement);
  const isOutside = (match: RegExpExecArray): boolean => depth[match.index] === 0;
  const start =
    [...statement.matchAll(/\bselect\b/g)].filter(isOutside).at(-1)!.index + "select".length;
  const end = [...statement.matchAll(/\bfrom\b/g)].filter(
    (m) => isOutside(m) && m.index > start,
  )[0]!.index;
  const commas = [...statement.matchAll(/,/g)]
    .filter((m) => isOutside(m) && m.index > start && m.index < end)
    .map((m) => m.index);
  const edges = [start - 1, ...commas, end];
  return edges.slice(1).map((edge, i) => {
    const item = statement.slice(edges[i]! + 1, edge).trim();
    return /(\w+)$/.exec(item)![1]!;
  });
}
