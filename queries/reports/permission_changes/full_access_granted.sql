-- title: Who was given full access?
-- family: permission_changes
-- grain: one row per manage granted, user attached to a policy with manage, or promotion
-- param: since timestamp = 7d
-- param: until timestamp = now
with
rights as (
    select
        source, subject_id, event_time, canonical_name, moment,
        case when resource_kind = 'Databases' and operation = 'manage' then 1 else 0 end as manages
    from permission_sets
),
-- What a policy held before and after each edit of its set.
policy_edits as (
    select
        source, subject_id as policy_id, event_time,
        max(case when moment = 'before' then manages else 0 end) as managed_before,
        max(case when moment = 'after' then manages else 0 end) as managed_after
    from rights
    where canonical_name = 'permission_policy_modify'
      and subject_id is not null
    group by source, subject_id, event_time
),
policy_spans as (
    select
        source, policy_id, event_time as valid_from,
        lead(event_time) over (partition by source, policy_id order by event_time) as valid_to,
        row_number() over (partition by source, policy_id order by event_time) as edit_number,
        managed_before, managed_after
    from policy_edits
),
-- Before the first edit the log shows, the policy held what that edit found.
managing_policies as (
    select source, policy_id, valid_from, valid_to
    from policy_spans
    where managed_after = 1
    union all
    select source, policy_id, null as valid_from, valid_from as valid_to
    from policy_spans
    where edit_number = 1 and managed_before = 1
),
changes as (
    select
        source, event_time, canonical_name, user_id, ip_address, operation, resource_kind,
        coalesce(lower(actor_email), 'user ' || cast(user_id as varchar), 'unknown') as actor,
        subject_kind, subject_id,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id, coalesce(object_name, object_id) as object
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
),
full_access as (
    select
        source, event_time, user_id, ip_address, actor, subject_kind, subject_id, subject, object,
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
        changes.source, changes.event_time, changes.user_id, changes.ip_address, changes.actor,
        changes.subject_kind, changes.subject_id, changes.subject, changes.object,
        'attached to policy with manage' as how
    from changes
    inner join managing_policies
        on managing_policies.source = changes.source
        and managing_policies.policy_id = changes.object_id
        and (managing_policies.valid_from is null or managing_policies.valid_from <= changes.event_time)
        and (managing_policies.valid_to is null or managing_policies.valid_to > changes.event_time)
    where changes.canonical_name = 'permission_policy_attach_user'
)
select
    event_time,
    actor,
    how,
    subject,
    object,
    coalesce(subject_kind = 'user' and subject_id = cast(user_id as varchar), false) as to_self,
    ip_address,
    subject_kind,
    subject_id,
    user_id,
    source
from full_access
order by event_time, actor, how, subject, object, ip_address, subject_kind, subject_id, user_id, source
