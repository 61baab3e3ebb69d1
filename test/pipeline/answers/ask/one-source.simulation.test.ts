import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { TestHome } from "../../../support/home.ts";
import { mcpClient } from "../../../support/mcp-client.ts";
import { type Served, serving } from "../../../support/serve.ts";
import { homeOfTwoSources, otherMark } from "../../../support/two-sources.ts";

// Every interface that takes a user's own statement, with --source.

let home: TestHome;
let served: Served;
let client: Client;
let queries: string;
beforeAll(async () => {
  home = await homeOfTwoSources();
  queries = join(home.folder, "queries");
  const of = (sql: string): string => `-- title: Own\n-- family: own\n-- grain: a row\n${sql}\n`;
  home.write("queries/own.sql", of("select source, event_name from audit.main.event_rows"));
  const file = resolveHome(home.home).published;
  home.write("queries/file.sql", of(`from read_duckdb('${file}', table_name = 'event_rows')`));
  const given = ["--source", "a", "--queries", queries];
  served = await serving(home, ...given);
  client = await mcpClient(home, ...given);
});
afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const bySql = async (sql: string): Promise<string> => {
  const { out, err } = await home.run(["--source", "a", "sql", sql]);
  return out + err;
};
const byMcp = async (name: string, args: Record<string, unknown>): Promise<string> =>
  JSON.stringify(await client.callTool({ name, arguments: args }));

it.each([
  "select source, event_name from audit.main.event_rows",
  "select source, event_name from query_table('event_rows')",
  "select source, event_name from audit.events",
])("%s gives rows of the one source by sql, by a program and in the browser", async (sql) => {
  const said = [
    await bySql(sql),
    await byMcp("query", { sql }),
    await served.text("/sql", { sql }),
  ];
  for (const text of said) {
    expect(text).toContain("permission_policy_create");
    expect(text.replaceAll(sql, "")).not.toContain(otherMark);
  }
});

it("gives a user report the rows of the one source, by each interface", async () => {
  const run = await home.run(["--source", "a", "report", "run", "own", "--queries", queries]);
  const said = [
    run.out,
    await byMcp("run_report", { name: "own" }),
    await served.text("/reports/own/rows.csv"),
  ];
  for (const text of said) {
    expect(text).toContain("permission_policy_create");
    expect(text).not.toContain(otherMark);
  }
});

it("lets no report read the file by its path", async () => {
  const said = [
    await byMcp("run_report", { name: "file" }),
    await served.text("/reports/file/rows.csv"),
    await served.text("/reports/file"),
  ];
  for (const text of said) expect(text).not.toContain(otherMark);
  expect(said[2]).toContain("Permission Error");
});

it("lists existing tables if one is missing", async () => {
  const said = await bySql("from audit.main.query_texts");
  expect(said).toMatch(/query_texts does not exist/);
  expect(said).toMatch(/hint: with --source, only the tables of the data contract/);
  expect(said).not.toContain("published_file");
});

it("shows a plan without the internal name, in frames that fit", async () => {
  const { out } = await home.run(["--source", "a", "sql", "--explain", "from user_history"]);
  expect(out).toContain("published_file");
  const widths = out.split("\n").filter((line) => /^[│┌└]/.test(line));
  expect(new Set(widths.map(({ length }) => length)).size).toBe(1);
});
