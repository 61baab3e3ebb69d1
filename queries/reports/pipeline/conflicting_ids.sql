-- title: Conflicting event ids
-- question: Which events share an id with an event of different content?
-- family: pipeline
-- grain: one row per event that shares its id with another event
-- param: since timestamp = 7d
-- param: until timestamp = now
with
conflicts as (
    select source, id, versions
    from id_conflicts
),
found as (
    select
        e.source, e.id, c.versions, e.event_time, e.event_name, e.actor, e.resource_name, e.event_key
    from events as e
    inner join conflicts as c on c.source = e.source and c.id = e.id
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
)
select
    event_time,
    id,
    versions,
    coalesce(event_name, 'no name') as event_name,
    actor,
    resource_name,
    event_key,
    source
from found
order by event_time, id, event_name, actor, event_key, source
