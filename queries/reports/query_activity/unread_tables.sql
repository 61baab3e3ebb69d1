-- title: Which tables are written and never read?
-- family: query_activity
-- grain: one row per table written in the range that no query read in it, nor in the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
-- A read of that name of which nobody knows the database may be one of the table, so it is not listed either.
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
-- By the names of those read where the database is not known, and of all that are.
read_names as (
    select distinct source, table_name, case when database_name is null then 1 else 0 end as is_anywhere
    from touched
    where access = 'read'
)
select
    database_name,
    table_name,
    count(distinct job_id) filter (where is_filled) as jobs,
    min(activity_time) filter (where is_filled) as first_at,
    max(activity_time) filter (where is_filled) as last_at,
    count(distinct actor) filter (where is_filled) as actors,
    source
from touched
where not exists (
    select 1 from read_names
    where read_names.source = touched.source
      and read_names.table_name = touched.table_name
      and (read_names.is_anywhere = 1 or touched.database_name is null)
)
group by source, database_name, table_name
having count(*) filter (where access = 'read') = 0 and count(*) filter (where is_filled) > 0
order by last_at desc, database_name, table_name, source
