-- title: List of permission edits
-- question: Who edited which policy, role or permission, and what did the event record?
-- family: permission_changes
-- grain: one row per event
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
-- The content of each event alone; permission_changes_list adds rights that ended with a deleted policy.
with
edits as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, old_value, new_value, actor,
        coalesce(resource_name, resource_id) as resource,
        coalesce(affected_user, 'user ' || cast(affected_user_id as varchar)) as affected
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
    event_time,
    actor,
    canonical_name as event_name,
    resource,
    affected,
    outcome,
    ip_address,
    old_value,
    new_value,
    user_id,
    event_key,
    source
from edits
order by
    event_time, actor, event_name, resource, affected, outcome, ip_address, old_value, new_value, user_id, event_key,
    source
