-- title: List of permission changes
-- question: Who granted or revoked which permission of whom?
-- family: permission_changes
-- grain: one row per permission granted or revoked, policy created or deleted, or edit without a readable change
-- param: since timestamp = 7d
-- param: until timestamp = now
with
changes as (
    select
        event_key, source, event_time, canonical_name, user_id, ip_address, actor,
        change, operation, resource_kind, subject_kind, subject_id,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id, coalesce(object_name, object_id) as object,
        old_value, new_value
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
other_edits as (
    select
        event_key, source, event_time, canonical_name, user_id, ip_address, actor,
        case canonical_name when 'permission_policy_modify' then 'policy' else 'user' end as subject_kind,
        case canonical_name
            when 'permission_policy_modify' then resource_id
            else cast(affected_user_id as varchar)
        end as subject_id,
        case canonical_name
            when 'permission_policy_modify' then resource_name
            else affected_user
        end as subject_name,
        case canonical_name when 'database_permission_modify' then resource_id end as object_id,
        case canonical_name when 'database_permission_modify' then resource_name end as object_name
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('permission_policy_modify', 'permission_modify', 'database_permission_modify')
      and outcome = 'succeeded'
      and not exists (
          select 1 from changes
          where changes.source = events.source
            and changes.event_key = events.event_key
      )
),
all_changes as (
    select
        event_key, source, event_time, canonical_name, user_id, ip_address, actor, change, operation, resource_kind,
        subject_kind, subject_id, subject, object_id, object, old_value, new_value
    from changes
    union all
    select
        event_key, source, event_time, canonical_name, user_id, ip_address, actor, 'other' as change,
        null as operation, null as resource_kind, subject_kind, subject_id,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id, coalesce(object_name, object_id) as object,
        null as old_value, null as new_value
    from other_edits
)
select
    event_time,
    actor,
    change,
    operation,
    subject,
    object,
    resource_kind,
    ip_address,
    canonical_name as event_name,
    subject_kind,
    subject_id,
    object_id,
    old_value,
    new_value,
    user_id,
    event_key,
    source
from all_changes
order by
    event_time, actor, subject, change, resource_kind, operation, object, object_id, subject_kind,
    subject_id, event_name, ip_address, old_value, new_value, user_id, event_key, source
