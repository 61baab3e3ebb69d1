import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../support/command.ts";
import { nowMs, temporaryFolder } from "./support.ts";

export const denials = `-- title: Who was denied?
-- grain: one row per actor
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: actor text = null
select actor_email, count(*) as denials
from events
where event_time >= $since and event_time < $until and ($actor is null or actor_email = $actor)
group by actor_email
order by actor_email
`;
export const texts = `-- title: What was sent?
-- grain: one row per text
select note from notes order by note;
`;
export const broken = `-- title: Does not run
-- grain: none
select nope from events
`;
export const needy = `-- title: Needs one
-- grain: none
-- param: who text required
select $who as who
`;

/** A published file of a few rows, with own reports beside it; returns the folder. */
export async function setUp(
  files: Readonly<Record<string, string>>,
  ledger = true,
): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "queries"));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, "queries", name), text);
  const instance = await DuckDBInstance.create(join(folder, "audit.duckdb"));
  const connection = await instance.connect();
  await connection.run(`
    create table events as
    select * from (values
      ('alice@example.com', timestamp '2026-11-20 00:00:00'),
      ('alice@example.com', timestamp '2026-11-21 11:59:59'),
      ('bob@example.com', timestamp '2026-11-21 12:00:00'),
      ('bob@example.com', timestamp '2026-11-14 12:00:00'),
      ('carol@example.com', timestamp '2026-11-14 11:59:59')
    ) as e(actor_email, event_time)`);
  await connection.run(
    "create table notes as select '=1+1' as note union all select chr(27) || '[2J'",
  );
  if (ledger)
    await connection.run(
      `create table store_version as select 2 as version;
       create table ingest_runs (source varchar); create table user_history (source varchar);
       create table policy_snapshots (source varchar);
       create table prunes (source varchar, before_time timestamp, with_events boolean, events bigint);
       create table window_reads as
         select 's' as source, timestamp '2026-11-01' as window_start, timestamp '2026-11-22' as window_end,
           timestamp '2026-11-21 11:30:00' as read_at, null::timestamp as server_time, false as is_mark,
           false as neutral;
       create table event_rows as select 's' as source, timestamp '2026-11-02' as event_time`,
    );
  connection.closeSync();
  instance.closeSync();
  return folder;
}

/** The time of the tests of reports, and the reports of such a folder. */
export function inFolder(folder: string) {
  return { env: { AUDITLAKE_QUERIES: join(folder, "queries") }, now: () => nowMs };
}

/** Runs a verb of reports on such a folder. */
export function report(folder: string, ...argv: string[]) {
  return run(["--home", folder, "report", ...argv], inFolder(folder));
}
