import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectPath } from "../docs/pages.ts";
import { folderStore } from "../../pipeline/lake/folder.ts";
import { forgetBeforeCheckpoint } from "../pipeline/lake/reader.ts";
import { publishThrough, withoutEvents } from "../pipeline/lake/scene.ts";
import { newHome, type TestHome } from "../support/home.ts";
import { runAt, type RunningTrino, startTrino } from "./trino.ts";

// Every report gives on the engine what it gives on the database, row for row.

const minuteMs = 60_000;
const hostile = [
  "it's",
  '"quoted"',
  "line\nbreak",
  "tab\t",
  "ünï cödé 🎈",
  "$who ? --",
  "\u0001",
  "'; drop table x",
];

let home: TestHome;
let trino: RunningTrino;
let config: string[];

beforeAll(async () => {
  home = newHome();
  const golden = ["records.ndjson", "users.json"].map((name) =>
    projectPath(`fixtures/golden/${name}`),
  );
  expect((await home.run(["import", golden[0]!, "--users", golden[1]!])).code).toBe(0);
  const at = Date.parse("2026-03-05T10:00:00Z") / 1000;
  await home.load(
    hostile.flatMap((text, i) => [
      {
        time: at + i,
        id: `h${i}`,
        event_name: "sign_in",
        email: `${text}@example.com`,
        event_result: "denied",
        resource_name: text,
        ip_address: text,
      },
      {
        time: at + i,
        id: `q${i}`,
        event_name: "job_issue",
        job_id: `${i}`,
        user_id: 5,
        query_text: text,
        resource_name: text,
      },
    ]),
  );
  const location = join(home.folder, "lake");
  trino = await startTrino(home.folder);
  config = [
    "--config",
    home.write(
      "c.json",
      JSON.stringify({ lake: { location }, engines: { trino: { url: trino.url } } }),
    ),
  ];
  expect((await home.run([...config, "lake", "publish"])).code).toBe(0);
  const { out } = await home.run([
    ...config,
    "lake",
    "ddl",
    "--engine",
    "trino",
    "--location",
    "local:///lake",
  ]);
  for (const sql of out.trimEnd().split(/;\n/)) await runAt(trino.url, sql.replace(/;$/, ""));
}, 10 * minuteMs);
afterAll(async () => {
  await trino?.[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const range = ["--since", "2026-01-01", "--until", "2026-06-01"];
const now = (): number => Date.parse("2026-06-01T00:00:00Z");

async function allReports(out: string, ...argv: string[]): Promise<Map<string, string>> {
  const folder = join(home.folder, out);
  const { code, err } = await home.run(
    [...config, "report", "run", "--all", ...range, ...argv, "--out", folder],
    { now },
  );
  expect([code, err.split("\n").filter((line) => line.startsWith("error:"))]).toEqual([0, []]);
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

it(
  "gives the rows of every report as the database does, in their order",
  async () => {
    const here = await allReports("here");
    const there = await allReports("there", "--engine", "trino");
    expect([...there.keys()]).toEqual([...here.keys()]);
    const differing = [...here].filter(([name, text]) => there.get(name) !== text);
    expect(differing.map(([name]) => name)).toEqual([]);
    expect(here.size).toBeGreaterThan(70);
    const rows = [...here.values()].filter((text) => text.trimEnd().includes("\n"));
    expect(rows.length).toBeGreaterThan(40);
  },
  20 * minuteMs,
);

it(
  "gives hostile text back as it is",
  async () => {
    const { out } = await home.run([
      ...config,
      "sql",
      "--engine",
      "trino",
      "--format",
      "json",
      "select resource_name from events where event_name = 'job_issue' and user_id = 5 order by event_time",
    ]);
    const found = (JSON.parse(out) as { resource_name: string }[]).map((row) => row.resource_name);
    expect(found).toEqual(hostile);
  },
  minuteMs,
);

it(
  "reads a table from its checkpoints, without the entries of its log before the first that is there",
  async () => {
    const few = { tables: ["event_rows"] };
    using other = await withoutEvents(home, "event_name <> 'sign_in'");
    const location = join(home.folder, "many");
    for (let night = 0; night < 24; night++) {
      const from = night % 2 === 0 ? other : home;
      await publishThrough(from, folderStore(location), "feedfeedfeedfeed", few);
    }
    forgetBeforeCheckpoint(location, "event_rows", 9);
    await runAt(trino.url, "create schema lake.many");
    await runAt(
      trino.url,
      "call lake.system.register_table(schema_name => 'many', table_name => 'event_rows', table_location => 'local:///many/event_rows')",
    );
    const here = await home.count("select count(*) from event_rows");
    for (const [version, rows] of [
      [23, here],
      [22, await other.count("select count(*) from event_rows")],
      [17, here],
    ]) {
      const sql = `select count(*) from lake.many.event_rows for version as of ${version}`;
      expect([version, await runAt(trino.url, sql)]).toEqual([version, [[rows]]]);
    }
  },
  5 * minuteMs,
);
