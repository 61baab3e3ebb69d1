-- title: Events by day and area
-- question: How many events of each area occurred each day?
-- family: pipeline
-- grain: one row per day, UTC, and area of the reference
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=day y=events stack=area usual=weekday unit=count link=events
-- scope: range
-- For partial days at the ends of the range, only the events in the range count.
with
found as (
    select
        source, event_date, event_name,
        coalesce(area, 'unknown') as area,
        actor, outcome
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    event_date as day,
    area,
    count(*) as events,
    count(distinct event_name) as event_names,
    count(distinct actor) as actors,
    count(*) filter (where outcome in ('denied', 'failed')) as denials,
    count(*) filter (where outcome = 'unknown') as unknown_outcomes,
    source
from found
group by source, event_date, area
order by day, area, source
