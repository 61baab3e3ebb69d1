-- title: Repeated denials
-- question: Who was denied repeatedly within an hour?
-- family: denials
-- grain: one row per actor and clock hour with at least that many denials
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: threshold integer = 25
with
denials_in_range as (
    select
        source, user_id, event_time, ip_address,
        date_trunc('hour', event_time) as hour,
        coalesce(
            actor_email, 'user ' || cast(user_id as varchar), 'address ' || nullif(ip_address, 'internal'), 'unknown'
        ) as actor,
        coalesce(denial_kind, 'other') as denial_kind,
        coalesce(resource_id, target_resource_id) as resource_id
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    hour,
    actor,
    count(*) as denials,
    count(distinct denial_kind) as kinds,
    count(distinct resource_id) as resources,
    count(distinct nullif(ip_address, 'internal')) as addresses,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from denials_in_range
group by source, actor, hour
having count(*) >= cast($threshold as integer)
order by denials desc, hour, actor, source
