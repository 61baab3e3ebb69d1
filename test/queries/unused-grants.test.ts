import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// Each of these was given `query` on the database `Shop` at noon of the second, and did one thing at 13:00. The database
// was called `Store` before.
type Did = {
  readonly event?: string;
  readonly table?: string;
  readonly resource?: string;
  readonly outcome?: string;
  /** By a job in this database. */
  readonly asked?: string;
  /** What the text of that job reads or writes, as `read shop`. */
  readonly text?: string;
};
const used: readonly Did[] = [
  { asked: "shop" },
  { asked: "SHOP" },
  { asked: "store" },
  { asked: "other", text: "read Shop" },
  { asked: "nowhere" },
  { event: "table_preview", table: "Shop.orders" },
  { event: "table_preview", resource: "store.orders" },
  { event: "table_preview", table: "shop.orders", resource: "other.shop" },
  { event: "table_preview", resource: "orders" },
];
const notUsed: readonly Did[] = [
  { asked: "other" },
  { asked: "shop", text: "read other" },
  { asked: "shop", text: "written shop" },
  { event: "table_preview", table: "other.shop" },
  { event: "table_preview", table: "shop.orders", outcome: "denied" },
  { event: "table_delete", table: "shop.orders" },
  { event: "query_run", table: "shop.orders" },
];

const literal = (value: string | undefined): string =>
  value === undefined ? "null" : `'${value}'`;

function listTables(all: readonly Did[]): string[] {
  const rows = all.map(
    ({ event, table, resource, outcome = "succeeded", asked, text }, id) =>
      `(${id}, ${[event, table, resource, outcome, asked, text].map(literal).join(", ")})`,
  );
  return [
    `create table did as select 's' as source, timestamp '2026-03-02 13:00' as event_time, null::varchar as job,
       null::varchar as event_key, null::varchar as resource_id, null::varchar as actor_email, null::varchar as exported_job_id,
       null::varchar as target_resource_name, *
       from (values ${rows.join(", ")})
       as d(user_id, canonical_name, target_table, resource_name, outcome, asked, did_text)`,
    "create view events as select * from did",
    `create view query_jobs as select source, user_id, actor_email, asked as database_name, event_time as activity_time,
       cast(user_id as varchar) as job_id from did where asked is not null`,
    `create view query_tables as select source, cast(user_id as varchar) as job_id, date '2026-03-02' as job_date,
       split_part(did_text, ' ', 1) as access, split_part(did_text, ' ', 2) as database_name
       from did where did_text is not null`,
    `create view access_event_rows as select 's' as source, 'database_modify' as canonical_name, true as is_successful,
       * from (values ('1', 'Store'), ('1', 'Shop'), ('2', 'other')) as n(resource_id, resource_name)`,
    `create view user_names as select 's' as source, 1::bigint as user_id, 'id' as kind, '1' as name`,
    "create view databases as select 's' as source, '1' as database_id, null::bigint as creator_user_id",
    `create view user_access as select source, user_id, 'user ' || user_id as person, 'query' as operation,
       'one database' as reach, '1' as database_id, 'Shop' as object_name, 'policy' as way, '7' as policy_id,
       'Analysts' as policy_name, timestamp '2026-03-02 12:00' as held_since, 'root' as granted_by,
       null::timestamp as valid_from, null::timestamp as valid_to, null::timestamp as way_from,
       null::timestamp as way_to, null::timestamp as right_from, null::timestamp as right_to
       from did`,
  ];
}

it("unused grants are found by what an event or a text needs, any name of the database, and its outcome", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const all = [...used, ...notUsed];
  for (const sql of listTables(all)) await connection.run(sql);
  const report = reports.find(({ name }) => name === "unused_grants")!;
  const range = new Map([
    ["since", "2026-03-01"],
    ["until", "2026-03-08"],
  ]);
  const { rows } = await runReport(connection, report, range);
  const listed = rows.map(({ user_id }) => all[Number(user_id)]!);
  expect(new Set(listed)).toEqual(new Set(notUsed));
  expect(listed).toHaveLength(notUsed.length);
  connection.closeSync();
  instance.closeSync();
});
