-- title: Two-step grants
-- question: Which users were attached by another user to a policy that they had created or changed?
-- family: permission_changes
-- grain: one row per user attached to a policy by another one, after changing it themselves
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
-- detection: high
-- attack: T1098.003
-- key: source, user_id, account, subject_id
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person is attached by another person to a policy that they created or changed in the {days} days before.
-- message: {actor} attached {member} to the policy {policy}, which {member} had created or changed before
-- next: auditlake investigate --user {member} --during {event_time:date}
-- runbook: Ask both what the policy is for. Check its permissions and its other members.
-- Two people together give one of them a right without a self-grant: A creates a policy or grants it a right, B attaches
-- A. A's changes in the `days` before the attachment count; self_grants has grants by one person alone.
with
attached as (
    select
        source, event_key, event_time, user_id, actor_email, ip_address, subject_id, object_id,
        lower(subject_name) as member_name, actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as member,
        coalesce(object_name, object_id, 'unknown') as policy
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'permission_policy_attach_user'
      and change = 'granted'
      and subject_id is not null
      and object_id is not null
),
made as (
    select
        source, event_time, cast(user_id as varchar) as maker_id,
        case when user_id is null then actor_email end as maker_email, subject_id as policy_id, change, operation
    from permission_changes
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and subject_kind = 'policy'
      and (change = 'granted' or canonical_name = 'permission_policy_create')
),
steps as (
    select
        attached.source, attached.event_key, attached.event_time, attached.user_id, attached.ip_address,
        attached.subject_id, attached.object_id, attached.actor, attached.account, attached.member,
        attached.policy,
        min(made.event_time) as first_changed_at,
        count(made.operation) as rights_given,
        count(*) filter (where made.operation is null) > 0 as is_maker,
        count(*) filter (where made.operation = 'manage') > 0 as gave_manage
    from attached
    inner join made
        on made.source = attached.source
        and made.policy_id = attached.object_id
        and (made.maker_id = attached.subject_id or made.maker_email = attached.member_name)
        and made.event_time <= attached.event_time
        and made.event_time >= attached.event_time - cast($days as integer) * interval '1' day
    where coalesce(cast(attached.user_id as varchar) <> attached.subject_id, true)
      and coalesce(attached.actor_email <> attached.member_name, true)
    group by
        attached.source, attached.event_key, attached.event_time, attached.user_id, attached.ip_address,
        attached.subject_id, attached.object_id, attached.actor, attached.account, attached.member,
        attached.policy
)
select
    event_time,
    actor,
    member,
    policy,
    is_maker,
    rights_given,
    gave_manage,
    first_changed_at,
    ip_address,
    object_id as policy_id,
    subject_id,
    user_id,
    account,
    event_key,
    source
from steps
order by
    event_time, actor, member, policy, is_maker, rights_given, gave_manage, first_changed_at, ip_address, policy_id,
    subject_id, user_id, account, event_key, source
