-- title: Activity by day and area
-- question: How much happened each day, and in which area?
-- family: query_activity
-- grain: one row per day and area
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=day y=events stack=area usual=weekday unit=count link=events
-- scope: range
-- For partial days at the ends of the range, only the events in the range count.
with
events_in_range as (
    select
        source, event_date, outcome, event_name, actor,
        coalesce(area, 'unknown') as area
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    event_date as day,
    area,
    count(*) as events,
    count(distinct actor) as actors,
    count(distinct event_name) as event_names,
    count(*) filter (where outcome in ('denied', 'failed')) as denials,
    source
from events_in_range
group by source, event_date, area
order by day, area, source
