-- title: Zero-copy configuration changes
-- question: Who created, changed or removed zero-copy configurations?
-- family: egress
-- grain: one row per event about a configuration
-- param: since timestamp = 7d
-- param: until timestamp = now
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, attribute_name, new_value, old_value, resource_id, resource_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and area = 'Zero-copy'
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as configuration,
    resource_id as configuration_id,
    attribute_name,
    old_value,
    new_value,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from found
order by
    event_time, actor, event_name, configuration, configuration_id, attribute_name, old_value, new_value,
    outcome, ip_address, user_id, event_key, source
