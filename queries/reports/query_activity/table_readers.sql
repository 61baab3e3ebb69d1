-- title: Readers of a table
-- question: Who read a table?
-- family: query_activity
-- grain: one row per user and table of that name (table or database.table) that their queries read
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: table text required
-- chart: bars x=actor y=jobs stack=database_name unit=count
with
reads as (
    select distinct source, job_id, database_name, table_name
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
      and access = 'read'
      and (table_name = lower(cast($table as varchar))
          or database_name || '.' || table_name = lower(cast($table as varchar)))
),
jobs as (
    select
        source, job_id, activity_time, user_id, status,
        actor
    from query_jobs
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    jobs.actor,
    reads.database_name,
    reads.table_name,
    count(*) as jobs,
    count(*) filter (where jobs.status in ('error', 'failed', 'killed')) as failed_or_killed,
    min(jobs.activity_time) as first_at,
    max(jobs.activity_time) as last_at,
    max(jobs.user_id) as user_id,
    jobs.source
from jobs
inner join reads on reads.source = jobs.source and reads.job_id = jobs.job_id
group by jobs.source, jobs.actor, reads.database_name, reads.table_name
order by jobs desc, actor, database_name, table_name, source
