-- title: Administrator changes
-- question: Who became an administrator or lost that role?
-- family: permission_changes
-- grain: one row per user who became or ceased to be an administrator or account owner
-- param: since timestamp = 7d
-- param: until timestamp = now
with
changes as (
    select
        event_key, source, event_time, user_id, actor_email, ip_address, subject_kind, subject_id, subject_name,
        change, actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        operation as role
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and resource_kind = 'Account'
      and operation in ('administrator', 'account_owner')
)
select
    event_time,
    actor,
    change,
    role,
    subject,
    coalesce(
        subject_kind = 'user' and (subject_id = cast(user_id as varchar) or lower(subject_name) = actor_email), false
    ) as to_self,
    ip_address,
    subject_id,
    user_id,
    event_key,
    source
from changes
order by event_time, actor, change, role, subject, ip_address, subject_id, user_id, event_key, source
