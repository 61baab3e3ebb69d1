-- title: Denied reads of hidden columns
-- question: Who tried to read columns that are hidden from them?
-- family: denials
-- grain: one row per user, column, visibility and required visibility
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
column_denials as (
    select
        source, user_id, event_time, resource_type, visibility, required_visibility, actor,
        coalesce(canonical_name, event_name) as event_name,
        coalesce(resource_id, 'not recorded') as column_id
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and denial_kind = 'column_visibility_denial'
)
select
    actor,
    column_id,
    visibility,
    required_visibility,
    count(*) as denials,
    count(distinct event_name) as ways_tried,
    min(event_time) as first_at,
    max(event_time) as last_at,
    resource_type,
    max(user_id) as user_id,
    source
from column_denials
group by source, actor, column_id, visibility, required_visibility, resource_type
order by denials desc, actor, column_id, visibility, required_visibility, resource_type, source
