-- title: Connection changes
-- question: Who created, changed or deleted connections?
-- family: egress
-- grain: one row per event about a connection
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
changes as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, resource_id, resource_name, attribute_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and area = 'Connection'
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as connection,
    resource_id as connection_id,
    attribute_name,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from changes
order by
    event_time, actor, event_name, connection, connection_id, attribute_name, outcome, ip_address, user_id, event_key, source
