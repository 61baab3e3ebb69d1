import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract } from "../../schemas/generated/contract.ts";
import { quoteText } from "../../schemas/quote.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { newFolderStore } from "../../pipeline/adapters/lake/store.ts";
import type { Publication } from "../../pipeline/adapters/lake/publication.ts";
import { bindSql } from "../../pipeline/adapters/lake/trino/pieces.ts";
import { pinSql } from "../../pipeline/adapters/lake/trino/pin-sql.ts";
import { projectPath } from "../docs/pages.ts";
import { forgetBeforeCheckpoint } from "../pipeline/adapters/lake/reader.ts";
import { publishThrough, withoutEvents } from "../pipeline/adapters/lake/scene.ts";
import { homeWithWarehouse, newHome, type TestHome } from "../support/home.ts";
import { temporaryFolder } from "../support/load.ts";
import { allReports, type Beside, putBeside, listRows } from "./beside.ts";
import { runAt, type RunningTrino, startTrino } from "./trino.ts";

// Every report and every view gives on the engine what it gives on the database, row for row.

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
const { path: folder, remove } = temporaryFolder();
const at = Date.parse("2026-03-05T10:00:00Z") / 1000;

const addresses =
  "192.0.2.1 192.0.2.255 10.0.0.1 ::1 2001:db8::1 2001:DB8:0:1::9 ::ffff:192.0.2.1 internal 192.0.2.01 1::2::3".split(
    " ",
  );
const networks = [
  "192.0.2.0/24",
  "10.0.0.0/8, 2001:db8::/48",
  "0.0.0.0/0",
  "::/0",
  "192.0.2.1",
  "::1, office",
  "192.0.2.0/33",
  "",
];
const place = { catalog: "lake", schema: "audit" };
const unpublished: Publication = {
  format: 1,
  publication: 1,
  at: "2026-03-01T00:00:00Z",
  ingesters: {},
  tables: {},
};

let trino: RunningTrino;
const homes: TestHome[] = [];
let full: Beside;

beforeAll(async () => {
  trino = await startTrino(folder);
  full = await beside("full", await fullHome());
}, 10 * minuteMs);
afterAll(async () => {
  await trino?.[Symbol.asyncDispose]();
  for (const home of homes) home[Symbol.dispose]();
  remove();
});

function beside(name: string, home: TestHome): Promise<Beside> {
  homes.push(home);
  return putBeside(home, trino, folder, name);
}

async function fullHome(): Promise<TestHome> {
  const home = newHome();
  const golden = ["records.ndjson", "users.json"].map((name) =>
    projectPath(`fixtures/golden/${name}`),
  );
  expect((await home.run(["import", golden[0]!, "--users", golden[1]!])).code).toBe(0);
  await home.load(hostile.flatMap(hostileRecords));
  return home;
}

function hostileRecords(text: string, i: number): object[] {
  const named = { time: at + i, resource_name: text };
  const denied = { event_result: "denied", email: `${text}@example.com`, ip_address: text };
  const job = { job_id: `${i}`, user_id: 5, query_text: text };
  return [
    { ...named, ...denied, id: `h${i}`, event_name: "sign_in" },
    { ...named, ...job, id: `q${i}`, event_name: "job_issue" },
  ];
}

/** A home with events alone: no users, no policies, no jobs. */
async function eventsAlone(): Promise<TestHome> {
  const home = newHome();
  const records = Array.from({ length: 9 }, (_, i) => ({
    time: at + i,
    id: `e${i}`,
    event_name: "sign_in",
    ...(i % 2 === 0 ? { user_id: i } : { event_result: "denied" }),
  }));
  expect((await home.load(records)).code).toBe(0);
  return home;
}

async function nothing(): Promise<TestHome> {
  const home = await homeWithWarehouse();
  expect((await home.run(["publish"])).code).toBe(0);
  return home;
}

// Reports on this home's own files, which are in no lake; nor are findings.
const atHomeAlone = ["directory_losses", "ingest_pages", "prunes", "read_stretches"];

async function differing(lake: Beside): Promise<string[]> {
  const found: string[] = [];
  for (const table of contract.filter(
    ({ name, group }) => group !== "Findings" && !atHomeAlone.includes(name),
  )) {
    const [here, there] = [await listRows(lake, table, false), await listRows(lake, table, true)];
    const more = there.find((row) => !here.includes(row));
    const less = here.find((row) => !there.includes(row));
    if (here.length !== there.length || more !== undefined || less !== undefined)
      found.push(`${table.name}: ${here.length} here, ${there.length} there: ${less} / ${more}`);
  }
  return found;
}

async function expectSameReports(lake: Beside): Promise<ReadonlyMap<string, string>> {
  const [here, there] = [await allReports(lake, false), await allReports(lake, true)];
  // For an unknown name the database suggests the nearest one, and the engine has no rows.
  const alone = [...there].filter(([name]) => !here.has(name));
  expect(alone.filter(([, text]) => text.trimEnd().includes("\n"))).toEqual([]);
  const names = [...here].filter(([name, text]) => there.get(name) !== text);
  expect(names.map(([name]) => name)).toEqual([]);
  return here;
}

describe("Trino compared with the database", () => {
  it(
    "decides equally whether an address belongs to some networks",
    async () => {
      const rows = addresses.flatMap((address) => networks.map((list) => [address, list]));
      const values = rows.map((row) => `(${row.map((text) => quoteText(text)).join(", ")})`);
      const sql = `select in_network(address, list) from (values ${values.join(", ")}) as v (address, list)`;
      const there = await runAt(trino.url, bindSql(pinSql(sql, unpublished, place), {}));
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      await connection.run(readAsset("queries/views/in_network.sql"));
      const here = (await connection.runAndReadAll(sql)).getRows();
      instance.closeSync();
      expect(there).toEqual(here);
      expect(new Set(here.flat()).size).toBe(3);
    },
    10 * minuteMs,
  );

  it(
    "returns the rows of every report, in the same order",
    async () => {
      const reports = await expectSameReports(full);
      expect(reports.size).toBeGreaterThan(75);
      const rows = [...reports.values()].filter((text) => text.trimEnd().includes("\n"));
      expect(rows.length).toBeGreaterThan(45);
    },
    20 * minuteMs,
  );

  it(
    "returns the rows of every view and table of the contract",
    async () => {
      expect(await differing(full)).toEqual([]);
    },
    20 * minuteMs,
  );

  it.each([
    ["events alone, and no users, policies or jobs", "events_alone", eventsAlone],
    ["nothing", "nothing", nothing],
  ])(
    "returns the same rows on a lake with %s",
    async (_, name, made) => {
      const lake = await beside(name, await made());
      await expectSameReports(lake);
      expect(await differing(lake)).toEqual([]);
    },
    20 * minuteMs,
  );

  it(
    "returns hostile text unchanged",
    async () => {
      const sql =
        "select resource_name from events where event_name = 'job_issue' and user_id = 5 order by event_time";
      const { out } = await full.ask("sql", "--engine", "trino", "--format", "json", sql);
      const found = (JSON.parse(out) as { resource_name: string }[]).map(
        (row) => row.resource_name,
      );
      expect(found).toEqual(hostile);
    },
    minuteMs,
  );

  it(
    "reads a table from its checkpoints, without the log entries before the first checkpoint",
    async () => {
      const few = { tables: ["event_rows"] };
      const { home } = full;
      using other = await withoutEvents(home, "event_name <> 'sign_in'");
      const location = join(folder, "many");
      mkdirSync(location, { recursive: true });
      for (let n = 0; n < 24; n++) {
        const from = n % 2 === 0 ? other : home;
        await publishThrough(from, newFolderStore(location), "feedfeedfeedfeed", few);
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
});
