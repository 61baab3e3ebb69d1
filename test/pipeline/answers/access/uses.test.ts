import { expect, it } from "vitest";
import { formatNoUse, listUses } from "../../../../pipeline/answers/access/uses.ts";
import type { Unread } from "../../../../pipeline/base/rows/row.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";

// Jobs of which the texts were read, and one of which nothing but the database and an e-mail is known.
const tables = [
  `create table user_access as select 's' as source, 7::bigint as user_id, 'ann@example.com' as person,
     'member' as way, 'Policies' as resource_kind, '1' as object_id, null::timestamp as valid_from,
     null::timestamp as valid_to`,
  `create table query_jobs as select 's' as source, case job_id when 'unread' then null else 7::bigint end as user_id,
     'ann@example.com' as actor_email, job_id, lower(database_name) as database_name,
     timestamp '2026-03-02 12:00' as activity_time
   from (values ('read', 'Shop'), ('unread', 'CRM'), ('both', 'Shop')) as j(job_id, database_name)`,
  `create table query_tables as select 's' as source, job_id, date '2026-03-02' as job_date, database_name, access
   from (values ('read', 'Web', 'read'), ('both', 'Shop', 'read'), ('both', 'Web', 'written'))
     as t(job_id, database_name, access)`,
  `create table user_names as select 's' as source, 7::bigint as user_id, 'email' as kind, 'ann@example.com' as name`,
  `create table events as select 's' as source, 7::bigint as user_id, null::varchar as actor_email, 'k' as event_key, timestamp '2026-03-02' as event_time,
     null::varchar as canonical_name, null::varchar as resource_name, null::varchar as target_table,
     null::varchar as job, null::varchar as resource_id, null::varchar as exported_job_id,
     null::varchar as target_resource_name, 'succeeded' as outcome`,
  `create table access_event_rows as select 's' as source, name as resource_name, id as resource_id,
     'database_create' as canonical_name, true as is_successful
   from (values ('shop', '1'), ('Web', '2'), ('crm', '3')) as d(name, id)`,
  `create table databases as select 's' as source, '1' as database_id, 7::bigint as creator_user_id`,
];

it("a job counts for the operations of its text, or for its database if the text was not read", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const sql of tables) await connection.run(sql);
  const ask = { policy_id: "1", source: "s", on: "2026-03-03", unused_since: "2026-03-01" };
  const uses = await listUses(connection, ask);
  const counts = uses.map(({ operations, databaseId, isOwn, uses: n }) => [
    operations.join(),
    databaseId,
    isOwn,
    n,
  ]);
  const expected = [
    ["query", "1", true, 1],
    ["query", "2", false, 1],
    ["edit,import", "2", false, 1],
    ["query,edit,import", "3", false, 1],
  ];
  expect(counts.toSorted()).toEqual(expected.toSorted());
  expect(await listUses(connection, { ...ask, policy_id: "2" })).toEqual([]);
  expect(await listUses(connection, { ...ask, on: "2026-03-02 11:59:59" })).toEqual([]);
});

it("a right without a use is reported as never used only if all of its time was read", () => {
  const at = (day: number): number => Date.UTC(2026, 2, day);
  const unread = (from: number | null, until: number | null, isPruned = false): Unread => {
    const [fromMs, untilMs] = [from, until].map((day) => (day === null ? null : at(day)));
    return { source: "s", fromMs: fromMs!, untilMs: untilMs!, isPruned };
  };
  const [before, gap, end] = [unread(null, 3), unread(5, 6), unread(9, null)];
  const listMessages = (
    unread: readonly Unread[],
    since: string | null,
    on = "2026-03-09 00:00:00",
  ) => formatNoUse(unread, since, on);
  expect(listMessages([before, end], "2026-03-03 00:00:00")).toBe("never");
  expect(listMessages([before, end], "2026-03-02 23:59:59")).toBe(
    "none since 2026-03-03T00:00:00Z",
  );
  expect(listMessages([before, end], "2026-03-03 00:00:00", "2026-03-10 00:00:00")).toBe(
    "none up to 2026-03-09T00:00:00Z",
  );
  expect(listMessages([before, end], null, "2026-03-10 00:00:00")).toBe(
    "none since 2026-03-03T00:00:00Z up to 2026-03-09T00:00:00Z",
  );
  expect(listMessages([before, unread(null, 4, true), end], null)).toBe(
    "none since 2026-03-04T00:00:00Z",
  );
  expect(listMessages([before, gap, end], null)).toBe("none in the part of the log that was read");
  expect(listMessages([before, gap, end], "2026-03-04 00:00:00")).toBe(
    "none in the part of the log that was read",
  );
  expect(listMessages([before, gap, end], "2026-03-06 00:00:00")).toBe("never");
  expect(listMessages([unread(null, null)], "2026-03-06 00:00:00")).toBe(
    "none in the part of the log that was read",
  );
});
