-- title: First use of databases
-- question: Who used a database for the first time?
-- family: query_activity
-- grain: one row per user and database first used in the range, not in the days before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
with
jobs as (
    select
        source, activity_time, user_id, database_name, duration_seconds,
        actor
    from query_activity
    where activity_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and activity_time < cast($until as timestamp)
      and activity = 'job'
      and database_name is not null
)
select
    min(activity_time) as first_at,
    actor,
    database_name,
    count(*) as jobs,
    cast(coalesce(sum(duration_seconds), 0) as bigint) as total_seconds,
    max(activity_time) as last_at,
    max(user_id) as user_id,
    source
from jobs
group by source, actor, database_name
having min(activity_time) >= cast($since as timestamp)
order by first_at, actor, database_name, source
