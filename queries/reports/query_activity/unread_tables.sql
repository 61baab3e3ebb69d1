-- title: Unread tables
-- question: Which tables are written but never read?
-- family: query_activity
-- grain: one row per table written in the range that no query read in the range or in the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
-- A table is also excluded if a read of its name from an unknown database exists.
with
jobs as (
    select
        source, job_id, activity_time,
        actor
    from query_jobs
    where activity_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and activity_time < cast($until as timestamp)
),
touched as (
    select
        t.source, t.job_id, t.database_name, t.table_name, t.access, j.activity_time, j.actor,
        t.access = 'written'
            and j.activity_time >= cast($since as timestamp)
            and t.statement_kind not in ('drop', 'truncate', 'delete', 'alter_drop') as is_filled
    from query_tables as t
    inner join jobs as j on j.source = t.source and j.job_id = t.job_id
    where t.job_date >= cast(cast($since as timestamp) - cast($days as integer) * interval '1' day as date)
      and t.job_date <= cast(cast($until as timestamp) as date)
      and t.table_name is not null
),
by_table as (
    select
        source, database_name, table_name,
        count(*) filter (where access = 'read') as reads,
        count(distinct job_id) filter (where is_filled) as jobs,
        min(activity_time) filter (where is_filled) as first_at,
        max(activity_time) filter (where is_filled) as last_at,
        count(distinct actor) filter (where is_filled) as actors
    from touched
    group by source, database_name, table_name
),
-- By the names of those read where the database is not known, and of all that are.
read_names as (
    select distinct source, table_name, case when database_name is null then 1 else 0 end as is_anywhere
    from by_table
    where reads > 0
)
select
    database_name,
    table_name,
    jobs,
    first_at,
    last_at,
    actors,
    source
from by_table
where reads = 0
  and jobs > 0
  and not exists (
      select 1 from read_names
      where read_names.source = by_table.source
        and read_names.table_name = by_table.table_name
        and (read_names.is_anywhere = 1 or by_table.database_name is null)
  )
order by last_at desc, database_name, table_name, source
