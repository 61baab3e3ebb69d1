-- title: Denials by actor
-- question: Who was denied, and how often?
-- family: denials
-- grain: one row per user and denial kind
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=denials stack=denial_kind unit=count link=events
-- scope: range
with
denials_in_range as (
    select
        source, user_id, ip_address, event_time, actor,
        coalesce(denial_kind, 'other') as denial_kind,
        coalesce(operation, canonical_name, event_name, 'unknown') as attempted
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    actor,
    denial_kind,
    count(*) as denials,
    count(distinct attempted) as operations,
    count(distinct nullif(ip_address, 'internal')) as addresses,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from denials_in_range
group by source, actor, denial_kind
order by denials desc, actor, denial_kind, source
