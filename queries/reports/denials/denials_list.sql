-- title: List of denials
-- question: Who was denied what?
-- family: denials
-- grain: one row per denial
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: seen_since timestamp = null
-- scope: range
-- With seen_since, only events first read from the service since then. A late event is in the list of the run that read
-- it, so look back far enough: --since 60d --param seen_since=24h.
with
denials_in_range as (
    select
        event_key, source, user_id, event_time, ip_address, event_name, actor,
        coalesce(denial_kind, 'other') as denial_kind,
        coalesce(operation, canonical_name, event_name, 'unknown') as operation,
        coalesce(resource_name, resource_id, target_resource_name, target_resource_id) as resource
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and first_seen_at >= coalesce(cast($seen_since as timestamp), first_seen_at)
)
select
    event_time,
    actor,
    denial_kind,
    operation,
    resource,
    ip_address,
    event_name,
    user_id,
    event_key,
    source
from denials_in_range
order by event_time, actor, denial_kind, operation, resource, ip_address, event_name, user_id, event_key, source
