import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// Each of these was given the database `Shop` at noon of the second, and did one thing at 13:00.
type Did = {
  readonly table?: string;
  readonly resource?: string;
  readonly area?: string;
  readonly outcome?: string;
  /** By a query whose text or job tells the database. */
  readonly asked?: string;
};
const used: readonly Did[] = [
  { asked: "shop" },
  { asked: "SHOP" },
  ...["Jobs", "Table", "Bulk import", "File upload"].map((area) => ({
    area,
    table: "Shop.orders",
  })),
  { resource: "shop.orders" },
  { table: "shop.orders", resource: "other.shop" },
];
const notUsed: readonly Did[] = [
  { asked: "other" },
  { table: "other.shop" },
  { resource: "orders" },
  { table: "shop.orders", outcome: "denied" },
  { table: "shop.orders", area: "Saved query" },
];

const literal = (value: string | undefined): string =>
  value === undefined ? "null" : `'${value}'`;

function tablesOf(all: readonly Did[]): string[] {
  const rows = all.map(
    ({ table, resource, area = "Table", outcome = "succeeded", asked }, id) =>
      `(${id}, ${[table, resource, area, outcome, asked].map(literal).join(", ")})`,
  );
  return [
    `create table did as select 's' as source, timestamp '2026-03-02 13:00' as event_time, *
       from (values ${rows.join(", ")})
       as d(user_id, target_table, resource_name, area, outcome, asked)`,
    "create view events as select * from did",
    `create view query_activity as select source, user_id, asked as database_name, event_time as activity_time
       from did`,
    `create view user_access as select source, user_id, 'user ' || user_id as user_email, 'query' as operation,
       'one database' as reach, '1' as database_id, 'Shop' as object_name, 'policy' as way, '7' as policy_id,
       'Analysts' as policy_name, timestamp '2026-03-02 12:00' as held_since, 'root' as granted_by,
       null::timestamp as valid_from, null::timestamp as valid_to, null::timestamp as way_from,
       null::timestamp as way_to, null::timestamp as right_from, null::timestamp as right_to
       from did`,
  ];
}

it("tells who never used a database that they were given, by what the event names and how it went", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const all = [...used, ...notUsed];
  for (const sql of tablesOf(all)) await connection.run(sql);
  const report = reports.find(({ name }) => name === "unused_grants")!;
  const range = new Map([
    ["since", "2026-03-01"],
    ["until", "2026-03-08"],
  ]);
  const { rows } = await runReport(connection, report, range);
  const told = rows.map(({ user_id }) => all[Number(user_id)]!);
  expect(new Set(told)).toEqual(new Set(notUsed));
  expect(told).toHaveLength(notUsed.length);
  connection.closeSync();
  instance.closeSync();
});
