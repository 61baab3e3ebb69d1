-- title: Which hours of the day are the busiest?
-- family: query_activity
-- grain: one row per hour of the day, UTC
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bar hour_of_day jobs
with
activity as (
    select
        source, activity, duration_seconds, database_name, scheduled_time,
        extract(hour from activity_time) as hour_of_day,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    hour_of_day,
    count(*) filter (where activity = 'job') as jobs,
    count(*) filter (where activity = 'job' and scheduled_time is not null) as scheduled_jobs,
    count(*) filter (where activity <> 'job') as saved_query_actions,
    count(distinct actor) as actors,
    count(distinct database_name) as databases,
    cast(coalesce(sum(duration_seconds), 0) as bigint) as total_seconds,
    source
from activity
group by source, hour_of_day
order by hour_of_day, source
