-- title: Policy membership changes
-- question: Who was added to or removed from a policy?
-- family: permission_changes
-- grain: one row per user attached to or detached from a policy, also where one of them was deleted
-- param: since timestamp = 7d
-- param: until timestamp = now
with
changes as (
    select
        event_key, source, event_time, user_id, ip_address, subject_id, actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        case canonical_name
            when 'permission_policy_delete' then 'policy deleted'
            when 'user_delete' then 'user deleted'
            when 'permission_policy_attach_user' then 'attached'
            else 'detached'
        end as change,
        object_id as policy_id, coalesce(object_name, object_id, 'unknown') as policy
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and origin = 'member'
      and resource_kind = 'Policies'
)
select
    event_time,
    actor,
    change,
    subject,
    policy,
    ip_address,
    policy_id,
    subject_id,
    user_id,
    event_key,
    source
from changes
order by event_time, actor, change, subject, policy, ip_address, policy_id, subject_id, user_id, event_key, source
