-- title: Unknown events
-- question: Which events are not in the catalog?
-- family: pipeline
-- grain: one row per event name missing from the reference
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=event_name y=events unit=count link=events
-- scope: range
with
found as (
    select
        source, event_time, event_date,
        coalesce(event_name, 'no name') as event_name,
        path,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and catalog_match = 'unknown_event'
)
select
    event_name,
    count(*) as events,
    count(distinct event_date) as days,
    count(distinct actor) as actors,
    count(distinct path) as paths,
    min(path) as sample_path,
    min(event_time) as first_at,
    max(event_time) as last_at,
    source
from found
group by source, event_name
order by events desc, event_name, source
