-- title: Tables used by queries
-- question: Which tables do queries read and write?
-- family: query_activity
-- grain: one row per table that queries read or write
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=table_name y=jobs stack=database_name unit=count link=report:table_readers
with
uses as (
    select distinct source, job_id, database_name, table_name, access
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
      and table_name is not null
),
jobs as (
    select
        source, job_id, activity_time,
        actor
    from query_jobs
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    uses.database_name,
    uses.table_name,
    count(distinct jobs.job_id) as jobs,
    count(distinct case when uses.access = 'read' then jobs.job_id end) as reading_jobs,
    count(distinct case when uses.access = 'written' then jobs.job_id end) as writing_jobs,
    count(distinct jobs.actor) as actors,
    min(jobs.activity_time) as first_at,
    max(jobs.activity_time) as last_at,
    jobs.source
from jobs
inner join uses on uses.source = jobs.source and uses.job_id = jobs.job_id
group by jobs.source, uses.database_name, uses.table_name
order by jobs desc, database_name, table_name, source
