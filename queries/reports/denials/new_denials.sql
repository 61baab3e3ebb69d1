-- title: New denials
-- question: Which denials occurred for the first time?
-- family: denials
-- grain: one row per user, denial kind and operation first seen in the range, not in the days before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
-- chart: bars x=actor y=rows stack=denial_kind unit=count
with
denials_with_history as (
    select
        source, user_id, event_time, ip_address, actor,
        coalesce(denial_kind, 'other') as denial_kind,
        coalesce(operation, canonical_name, event_name, 'unknown') as operation
    from denials
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
)
select
    min(event_time) as first_at,
    actor,
    denial_kind,
    operation,
    count(*) as denials,
    count(distinct nullif(ip_address, 'internal')) as addresses,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from denials_with_history
group by source, actor, denial_kind, operation
having min(event_time) >= cast($since as timestamp)
order by first_at, actor, denial_kind, operation, source
