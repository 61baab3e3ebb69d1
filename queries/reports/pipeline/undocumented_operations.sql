-- title: Undocumented operations
-- question: Which known events came from operations that the catalog does not list?
-- family: pipeline
-- grain: one row per event and method
-- param: since timestamp = 7d
-- param: until timestamp = now
with
found as (
    select
        source, event_time, path, canonical_name,
        coalesce(verb, 'not recorded') as verb,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and catalog_match = 'undocumented_operation'
      -- Without a recorded path, the operation cannot be compared with the reference.
      and path is not null
)
select
    canonical_name as event_name,
    verb,
    count(*) as events,
    count(distinct path) as paths,
    min(path) as sample_path,
    count(distinct actor) as actors,
    min(event_time) as first_at,
    max(event_time) as last_at,
    source
from found
group by source, canonical_name, verb
order by events desc, event_name, verb, source
