-- title: Full-access grants
-- question: Who was granted full access?
-- family: permission_changes
-- grain: one row per grant of manage, user attached to a policy with manage, or promotion
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: medium
-- attack: T1098.003
-- key: source, user_id, account, subject_kind, subject_id
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person receives manage for all databases, becomes administrator or account owner, or is attached to a policy with full access.
-- message: {actor} granted full access to {subject}: {how}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether the change was requested and approved. If not, revoke the right and check what its holders did since.
with
changes as (
    select
        event_key, source, event_time, canonical_name, user_id, actor_email, ip_address, operation, resource_kind,
        actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        subject_kind, subject_id, subject_name,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id, coalesce(object_name, object_id) as object
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
),
managing_policies as (
    select source, policy_id, valid_from, valid_to
    from policy_rights
    where resource_kind = 'Databases' and operation = 'manage'
),
full_access as (
    select
        event_key, source, event_time, user_id, actor_email, ip_address, actor, account, subject_kind, subject_id,
        subject_name, subject, object,
        case
            when resource_kind = 'Account' then 'made ' || replace(operation, '_', ' ')
            when subject_kind = 'policy' then 'manage granted to policy'
            else 'manage granted to user'
        end as how
    from changes
    where resource_kind = 'Databases' and operation = 'manage'
       or resource_kind = 'Account' and operation in ('administrator', 'account_owner')
    union all
    select
        changes.event_key, changes.source, changes.event_time, changes.user_id, changes.actor_email,
        changes.ip_address, changes.actor, changes.account, changes.subject_kind, changes.subject_id, changes.subject_name,
        changes.subject, changes.object,
        'attached to policy with manage' as how
    from changes
    where changes.canonical_name = 'permission_policy_attach_user'
      and exists (
          select 1 from managing_policies
          where managing_policies.source = changes.source
            and managing_policies.policy_id = changes.object_id
            and (managing_policies.valid_from is null or managing_policies.valid_from <= changes.event_time)
            and (managing_policies.valid_to is null or managing_policies.valid_to > changes.event_time)
      )
)
select
    event_time,
    actor,
    how,
    subject,
    object,
    coalesce(
        subject_kind = 'user' and (subject_id = cast(user_id as varchar) or lower(subject_name) = actor_email), false
    ) as to_self,
    ip_address,
    subject_kind,
    subject_id,
    user_id,
    account,
    event_key,
    source
from full_access
order by
    event_time, actor, how, subject, object, ip_address, subject_kind, subject_id, user_id, account,
    event_key, source
