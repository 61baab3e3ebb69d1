-- title: Permission edits by day
-- question: How often were policies, roles and permissions edited each day?
-- family: permission_changes
-- grain: one row per day and event name
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=day y=edits stack=event_name unit=count link=events
-- scope: range
-- For partial days at the ends of the range, only the events in the range count.
with
edits_in_range as (
    select source, event_date, canonical_name, outcome, actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in (
          'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
          'permission_policy_attach_user', 'permission_policy_detach_user', 'permission_modify',
          'database_permission_modify', 'role_create', 'role_delete'
      )
)
select
    event_date as day,
    canonical_name as event_name,
    count(*) as edits,
    count(distinct actor) as actors,
    count(*) filter (where outcome <> 'succeeded') as not_succeeded,
    source
from edits_in_range
group by source, event_date, canonical_name
order by day, event_name, source
