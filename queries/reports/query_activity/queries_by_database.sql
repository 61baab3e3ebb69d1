-- title: Queries by database
-- question: Which databases are queried the most?
-- family: query_activity
-- grain: one row per database
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=database_name y=jobs unit=count
with
jobs as (
    select
        source, activity_time, status, duration_seconds, actor,
        coalesce(database_name, 'unknown') as database_name
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and activity = 'job'
)
select
    database_name,
    count(*) as jobs,
    count(distinct actor) as actors,
    count(*) filter (where status in ('error', 'failed')) as failed,
    count(*) filter (where status = 'killed') as killed,
    cast(coalesce(sum(duration_seconds), 0) as bigint) as total_seconds,
    min(activity_time) as first_at,
    max(activity_time) as last_at,
    source
from jobs
group by source, database_name
order by jobs desc, database_name, source
