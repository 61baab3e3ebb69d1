-- The policies that stand at the moment. One may be made again under its id: what is told last before the moment says
-- whether it stands. Where nothing is, one that is made behind it was not there. Is_told is 0 where nothing ever tells
-- what a policy holds: neither log nor snapshot.
lives as (
    select
        source, resource_id as policy_id,
        max(case when event_time <= cast($on as timestamp) then event_time end) as last_before,
        max(case
            when event_time <= cast($on as timestamp) and canonical_name = 'permission_policy_delete' then event_time
        end) as deleted_before,
        max(case
            when event_time <= cast($on as timestamp) and canonical_name = 'permission_policy_create' then event_time
        end) as created_at,
        min(case when event_time > cast($on as timestamp) then event_time end) as first_behind,
        min(case
            when event_time > cast($on as timestamp) and canonical_name = 'permission_policy_create' then event_time
        end) as made_behind
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user'
    )
      and is_successful
      and resource_id <> ''
    group by source, resource_id
),
told_policies as (
    select source, subject_id as policy_id
    from permission_marks
    where subject_kind = 'policy'
      and is_statement
    union
    select source, policy_id
    from policy_snapshots
    where state <> 'gone'
),
standing as (
    select
        p.source, p.policy_id, p.policy_name, l.created_at,
        case when t.policy_id is null and p.created_at is null then 0 else 1 end as is_told
    from policies as p
    left join lives as l on l.source = p.source and l.policy_id = p.policy_id
    left join told_policies as t on t.source = p.source and t.policy_id = p.policy_id
    where case
        when l.last_before is not null then coalesce(l.deleted_before < l.last_before, true)
        else coalesce(l.made_behind > l.first_behind, true)
    end
),
