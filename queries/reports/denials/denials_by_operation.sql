-- title: Denials by operation
-- question: Which operations were denied?
-- family: denials
-- grain: one row per operation and denial kind; the event name where the operation is unknown
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=operation y=denials stack=denial_kind unit=count link=events
-- scope: range
with
denials_in_range as (
    select
        source, area, event_time, actor,
        coalesce(denial_kind, 'other') as denial_kind,
        coalesce(operation, canonical_name, event_name, 'unknown') as operation
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    operation,
    denial_kind,
    count(*) as denials,
    count(distinct actor) as actors,
    min(event_time) as first_at,
    max(event_time) as last_at,
    area,
    source
from denials_in_range
group by source, area, operation, denial_kind
order by denials desc, operation, denial_kind, area, source
