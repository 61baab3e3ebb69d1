-- The policies that stand at the moment. One may be made again under its id: what is told last before the moment says
-- whether it stands. Where nothing is, one that is made behind it was not there. Is_told is 0 where nothing tells what it
-- holds in its life of then. Its making would, a change of its set, or a snapshot.
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
        end) as made_behind,
        min(case
            when event_time > cast($on as timestamp) and canonical_name = 'permission_policy_delete' then event_time
        end) as deleted_behind
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user'
    )
      and is_successful
      and resource_id <> ''
    group by source, resource_id
),
told_times as (
    select source, subject_id as policy_id, event_time as told_time
    from permission_marks
    where subject_kind = 'policy'
      and is_statement
    union
    select source, policy_id, read_at as told_time
    from policy_snapshots
    where state <> 'gone'
),
told_policies as (
    select distinct t.source, t.policy_id
    from told_times as t
    left join lives as l on l.source = t.source and l.policy_id = t.policy_id
    where (l.deleted_before is null or t.told_time > l.deleted_before)
      and (l.deleted_behind is null or t.told_time <= l.deleted_behind)
),
standing as (
    select
        p.source, p.policy_id, p.policy_name, l.created_at,
        case
            when t.policy_id is not null or l.created_at >= coalesce(l.deleted_before, l.created_at) then 1
            else 0
        end as is_told
    from policies as p
    left join lives as l on l.source = p.source and l.policy_id = p.policy_id
    left join told_policies as t on t.source = p.source and t.policy_id = p.policy_id
    where case
        when l.last_before is not null then coalesce(l.deleted_before < l.last_before, true)
        else coalesce(l.made_behind > l.first_behind, true)
    end
),
