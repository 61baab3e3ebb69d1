-- title: API key events
-- question: Who created, read or deleted API keys?
-- family: access
-- grain: one row per event about an API key
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
key_events as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, affected_user_id, affected_user, resource_id,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('apikey_modify', 'user_apikey_generate', 'user_apikey_download', 'user_apikey_delete')
)
select
    event_time,
    actor,
    canonical_name as event_name,
    coalesce(affected_user, 'user ' || cast(affected_user_id as varchar)) as affected,
    outcome,
    ip_address,
    resource_id,
    user_id,
    event_key,
    source
from key_events
order by event_time, actor, event_name, affected, outcome, ip_address, resource_id, user_id, event_key, source
