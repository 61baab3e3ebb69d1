-- title: Denials by resource
-- question: What did people try to reach when they were denied?
-- family: denials
-- grain: one row per resource, by name and id, and denial kind
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
denials_in_range as (
    select
        source, event_time, actor,
        coalesce(denial_kind, 'other') as denial_kind,
        resource_type,
        case when coalesce(resource_name, resource_id) is null then target_resource_id else resource_id end as resource_id,
        coalesce(
            resource_name, resource_id, target_resource_name, target_resource_id, 'not recorded'
        ) as resource
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    resource,
    denial_kind,
    count(*) as denials,
    count(distinct actor) as actors,
    min(event_time) as first_at,
    max(event_time) as last_at,
    resource_type,
    resource_id,
    source
from denials_in_range
group by source, denial_kind, resource_type, resource_id, resource
order by denials desc, resource, denial_kind, resource_type, resource_id, source
