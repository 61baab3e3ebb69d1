import { expect, it } from "vitest";
import { findJobStart, listNames } from "../../../../pipeline/answers/investigate/subject.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";

const moments = [-100, -1, 0, 1, 999, 1000, 1001, 5_000_000];
const [sinceMs, untilMs] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 1) + 1000];

// A job and a resource for each moment, named by its distance from the start of the range.
const tables = [
  `create table query_jobs as select (${sinceMs} + ms)::varchar as job_id, null::varchar as job_name,
     make_timestamp((${sinceMs} + ms) * 1000) as activity_time
   from unnest([${moments.join()}]::bigint[]) as m(ms)`,
  `create table timeline as select activity_time as event_time, job_id as resource_id, null::varchar as resource_name,
     null::varchar as resource_path, null::varchar as target_table, null::varchar as target_resource_id,
     null::varchar as target_resource_name, null::varchar as database_name
   from query_jobs`,
  `create table events as select activity_time as event_time, 'Jobs' as area, 'denied' as outcome,
     'x' || job_id as resource_id, null::varchar as resource_name, null::varchar as exported_job_id
   from query_jobs`,
];

it("jobs and resources of the range include its first moment and exclude its last", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const sql of tables) await connection.run(sql);
  const within = moments.map((ms) => sinceMs + ms).filter((ms) => ms >= sinceMs && ms < untilMs);
  for (const kind of ["job", "resource"] as const) {
    const found = await listNames(connection, kind, { sinceMs, untilMs });
    expect(found.map(({ name }) => Number(name))).toEqual(within);
  }
  expect(await findJobStart(connection, String(sinceMs + 1001))).toBe(sinceMs + 1001);
  expect(await findJobStart(connection, `x${sinceMs - 1}`)).toBe(sinceMs - 1);
  expect(await findJobStart(connection, "none")).toBeUndefined();
});
