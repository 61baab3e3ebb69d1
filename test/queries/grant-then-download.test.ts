import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// Who belonged to a policy when it was given a right: at 12:00 on the second. Each downloads at 13:00.
const members = `
  (1, null, null), (2, '2026-03-02 12:00', null), (3, null, '2026-03-02 12:00'), (4, null, '2026-03-02 12:01'),
  (5, '2026-03-02 12:01', null)`;

const tables = [
  `create table permission_changes as select
     'k' as event_key, 's' as source, timestamp '2026-03-02 12:00' as event_time, granter as user_id,
     'policy' as subject_kind, '7' as subject_id, 'Analysts' as subject_name, 'user ' || granter as actor,
     'Databases' as resource_kind, 'query' as operation, 'granted' as change
   from (values (4::bigint)) as g(granter)`,
  `create table policy_members as select 's' as source, '7' as policy_id, user_id,
     valid_from::timestamp as valid_from, valid_to::timestamp as valid_to
   from (values ${members}) as m(user_id, valid_from, valid_to)`,
  `create table events as select 's' as source, user_id, timestamp '2026-03-02 13:00' as event_time,
     10 as bytesize, 'u' || user_id as actor, null::varchar as actor_email, 'job_result_download' as canonical_name, 'succeeded' as outcome
   from range(1, 8) as u(user_id)`,
  `create table user_names (source varchar, user_id bigint, kind varchar, name varchar)`,
];

it("counts a right of a policy for its members at that moment, also since an unknown time", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const sql of tables) await connection.run(sql);
  const report = reports.find(({ name }) => name === "grant_then_download")!;
  const range = new Map([
    ["since", "2026-03-01"],
    ["until", "2026-03-08"],
  ]);
  const { rows } = await runReport(connection, report, range);
  expect(rows.map((row) => [row["user_id"], row["to_self"]])).toEqual([
    ["1", false],
    ["2", false],
    ["4", true],
  ]);
  await connection.run("update permission_changes set user_id = null");
  const unknown = await runReport(connection, report, range);
  expect(unknown.rows.map((row) => row["to_self"])).toEqual([false, false, false]);
  connection.closeSync();
  instance.closeSync();
});
