import { join } from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withNames } from "../../pipeline/adapters/lake/trino/own-names.ts";
import { projectPath } from "../docs/pages.ts";
import { habits } from "../pipeline/adapters/lake/statements/habits.ts";
import { statementFrom, tables, views } from "../pipeline/adapters/lake/statements/play.ts";
import { formatLines, newHome, type TestHome } from "../support/home.ts";
import { temporaryFolder } from "../support/load.ts";
import { allReports, putBeside } from "./beside.ts";
import { runAt, type RunningTrino, startTrino } from "./trino.ts";

// Several homes in one lake are asked as one home that has read all of it, and statements mean what they mean here.

const minuteMs = 60_000;
const { path: folder, remove } = temporaryFolder();
const now = (): number => Date.parse("2026-04-01T00:00:00Z");
const at = Date.parse("2026-03-03T10:00:00Z") / 1000;
const seed = Number(process.env["STATEMENTS_SEED"] ?? Date.now() % 1_000_000);

let trino: RunningTrino;
const homes: TestHome[] = [];

beforeAll(async () => {
  trino = await startTrino(folder);
}, 10 * minuteMs);
afterAll(async () => {
  await trino?.[Symbol.asyncDispose]();
  for (const home of homes) home[Symbol.dispose]();
  remove();
});

/** Records of the other source: the same people and names, at times of its own, and unknown events. */
const others = Array.from({ length: 40 }, (_, i) => ({
  time: at + i * 600,
  id: `other-${i}`,
  event_name: ["sign_in", "job_issue", "permission_policy_create", "no_such_event"][i % 4],
  user_id: 100 + (i % 3),
  email: `user${i % 3}@example.com`,
  ip_address: `192.0.2.${i % 5}`,
  resource_id: String(i % 6),
  resource_name: `it's "${i % 6}"`,
  job_id: `${i}`,
  ...(i % 5 === 0 ? { event_result: "denied" } : {}),
}));

async function importAll(home: TestHome, source: "default" | "other"): Promise<void> {
  const getGolden = (name: string): string => projectPath(`fixtures/golden/${name}`);
  const argv =
    source === "default"
      ? ["import", getGolden("records.ndjson"), "--users", getGolden("users.json")]
      : ["import", home.write("others.ndjson", formatLines(others))];
  const { code, err } = await home.run(["--source", source, ...argv], { now });
  expect([code, err]).toEqual([0, expect.any(String)]);
}

async function readHome(...sources: readonly ("default" | "other")[]): Promise<TestHome> {
  const home = newHome();
  homes.push(home);
  for (const source of sources) await importAll(home, source);
  return home;
}

describe("two homes in one lake", () => {
  it(
    "appear in every report as one home that has read both sources",
    async () => {
      const both = await putBeside(await readHome("default"), trino, folder, "both");
      const other = await readHome("other");
      const config = other.write(
        "c.json",
        JSON.stringify({ lake: { location: join(folder, "both") } }),
      );
      expect((await other.run(["--config", config, "lake", "publish"])).code).toBe(0);
      const twin = { home: await readHome("default", "other"), ask: both.ask };
      const here = await allReports(
        { ...twin, ask: (...argv) => twin.home.run(argv, { now }) },
        false,
      );
      const there = await allReports(both, true);
      const differing = [...here].filter(([name, text]) => there.get(name) !== text);
      expect(differing.map(([name]) => name)).toEqual([]);
      const rows = [...here.values()].filter((text) => /(?:^|,)other\r?$/m.test(text));
      expect(rows.length).toBeGreaterThan(15);
      for (const table of ["catalog_entries", "operation_texts", "timezone_offset_rows"]) {
        const sql = `select count(*) as n from ${table}`;
        const { out } = await both.ask("sql", "--engine", "trino", "--format", "json", sql);
        expect([table, Number((JSON.parse(out) as { n: number }[])[0]!.n)]).toEqual([
          table,
          await twin.home.count(sql),
        ]);
      }
    },
    20 * minuteMs,
  );
});

describe("a translated statement", () => {
  let connection: DuckDBConnection;
  let instance: DuckDBInstance;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(":memory:");
    connection = await instance.connect();
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });

  const formatText = (rows: readonly (readonly unknown[])[]): string =>
    JSON.stringify(rows.map((row) => row.map((value) => (value === null ? null : String(value)))));
  const here = async (sql: string): Promise<string> =>
    formatText((await connection.runAndReadAll(sql)).getRowsJson());
  const there = async (sql: string): Promise<string> => formatText(await runAt(trino.url, sql));

  it(
    `keeps names that the statement defines itself, seed ${seed}`,
    async () => {
      const given = [
        ...tables.map((name, i) => ({
          name,
          sql: () => `select ${i + 1} as x union all select ${i + 20}`,
        })),
        ...Object.entries(views).map(([name, sql]) => ({ name, sql: () => sql })),
      ];
      for (const { name, sql } of given.slice(0, tables.length))
        await connection.run(`create table ${name} as ${sql()}`);
      for (const [name, sql] of Object.entries(views))
        await connection.run(`create view ${name} as ${sql}`);
      for (let round = 0; round < 25; round++) {
        const sql = statementFrom(seed, round);
        expect([sql, await there(withNames(sql, given))]).toEqual([sql, await here(sql)]);
      }
    },
    5 * minuteMs,
  );

  // Whether in finds the others depends on the query plan.
  it.each(habits.filter(([sql]) => !sql.includes(" in (")))(
    "reports that a database-specific feature differs on Trino: %s",
    async (sql, effect) => {
      const found = await there(sql).catch(() => "refused");
      if (effect === "refused") expect(found).toBe("refused");
      else expect(found).not.toBe(await here(sql));
    },
    minuteMs,
  );
});
