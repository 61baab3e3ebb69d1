-- title: Busiest hours of the day
-- question: Which hours of the day are the busiest?
-- family: query_activity
-- grain: one row per hour of the day, in the time zone
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: timezone text = default
-- chart: bars x=hour_of_day y=jobs unit=count
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
activity as (
    select
        source, activity, duration_seconds, database_name, scheduled_time,
        extract(hour from activity_time + zone.offset_minutes * interval '1' minute) as hour_of_day,
        actor
    from query_activity
    inner join zone on zone.valid_from <= activity_time and zone.valid_to > activity_time
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
