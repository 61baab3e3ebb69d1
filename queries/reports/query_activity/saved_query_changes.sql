-- title: Saved query changes
-- question: Who created, changed or deleted saved queries?
-- family: query_activity
-- grain: one row per saved query created, cloned, changed or deleted
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, resource_id, resource_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('query_create', 'query_clone', 'query_modify', 'query_delete')
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as query_name,
    resource_id as query_id,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from found
order by event_time, actor, event_name, query_name, query_id, outcome, ip_address, user_id, event_key, source
