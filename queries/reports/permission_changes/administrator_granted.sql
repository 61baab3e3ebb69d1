-- title: New administrators
-- question: Who became an administrator or account owner?
-- family: permission_changes
-- grain: one row per user who became an administrator or account owner
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: high
-- attack: T1098.003
-- key: source, user_id, account, subject_id
-- subject: user actor
-- at: event_time
-- condition: A person makes another person administrator or account owner.
-- message: {actor} gave {subject} the role {role}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether the promotion was approved. If not, revoke it and check what the person did since.
with
promotions as (
    select
        event_key, source, event_time, user_id, ip_address, subject_id, actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        replace(operation, '_', ' ') as role
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
      and resource_kind = 'Account'
      and operation in ('administrator', 'account_owner')
)
select
    event_time,
    actor,
    role,
    subject,
    ip_address,
    subject_id,
    user_id,
    account,
    event_key,
    source
from promotions
order by event_time, actor, role, subject, ip_address, subject_id, user_id, account, event_key, source
