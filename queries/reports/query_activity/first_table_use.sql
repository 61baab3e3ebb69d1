-- title: First use of tables
-- question: Who used a table for the first time?
-- family: query_activity
-- grain: one row per user and table first read or written in the range, not in the days before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
with
jobs as (
    select
        source, job_id, activity_time, user_id,
        actor
    from query_jobs
    where activity_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and activity_time < cast($until as timestamp)
),
uses as (
    select
        source, job_id, database_name, table_name,
        max(case when access = 'written' then 1 else 0 end) as is_written
    from query_tables
    where job_date >= cast(cast($since as timestamp) - cast($days as integer) * interval '1' day as date)
      and job_date <= cast(cast($until as timestamp) as date)
      and table_name is not null
    group by source, job_id, database_name, table_name
)
select
    min(jobs.activity_time) as first_at,
    jobs.actor,
    uses.database_name,
    uses.table_name,
    count(*) as jobs,
    cast(sum(uses.is_written) as bigint) as writing_jobs,
    max(jobs.activity_time) as last_at,
    max(jobs.user_id) as user_id,
    jobs.source
from jobs
inner join uses on uses.source = jobs.source and uses.job_id = jobs.job_id
group by jobs.source, jobs.actor, uses.database_name, uses.table_name
having min(jobs.activity_time) >= cast($since as timestamp)
order by first_at, actor, database_name, table_name, source
