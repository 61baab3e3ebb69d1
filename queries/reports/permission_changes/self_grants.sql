-- title: Self-granted permissions
-- question: Who granted permissions to themselves?
-- family: permission_changes
-- grain: one row per permission that a user granted to themselves or to a policy of which they are a member
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: critical
-- attack: T1098.003
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: An account grants a right to itself or to a policy that it belongs to.
-- message: {actor} self-granted a right: {operation} on {object}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check who requested the right. Without a request, revoke it and check how it was used.
with
grants as (
    select
        event_key, source, event_time, canonical_name, user_id, actor_email, ip_address, operation, resource_kind,
        actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        subject_kind, subject_id, subject_name,
        coalesce(subject_name, subject_kind || ' ' || subject_id) as subject,
        coalesce(object_name, object_id) as object
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
),
-- part: owners
memberships as (
    select m.source, m.policy_id, m.user_id, o.email, m.valid_from, m.valid_to
    from policy_members as m
    left join owners as o on o.source = m.source and o.user_id = m.user_id
),
self_grants as (
    select
        event_key, source, event_time, canonical_name, user_id, ip_address, operation, resource_kind, actor, account,
        subject, object, 'to self' as how
    from grants
    where subject_kind = 'user'
      and (subject_id = cast(user_id as varchar) or lower(subject_name) = actor_email)
    union all
    select
        grants.event_key, grants.source, grants.event_time, grants.canonical_name, grants.user_id, grants.ip_address,
        grants.operation, grants.resource_kind, grants.actor, grants.account, grants.subject, grants.object,
        'to own policy' as how
    from grants
    where grants.subject_kind = 'policy'
      and exists (
          select 1 from memberships
          where memberships.source = grants.source
            and memberships.policy_id = grants.subject_id
            and (
                memberships.user_id = grants.user_id
                or grants.user_id is null and memberships.email = grants.actor_email
            )
            and (memberships.valid_from is null or memberships.valid_from <= grants.event_time)
            and (memberships.valid_to is null or memberships.valid_to > grants.event_time)
      )
)
select
    event_time,
    actor,
    operation,
    object,
    how,
    subject,
    resource_kind,
    ip_address,
    canonical_name as event_name,
    user_id,
    account,
    event_key,
    source
from self_grants
order by
    event_time, actor, operation, object, how, subject, resource_kind, ip_address, event_name, user_id,
    account, event_key, source
