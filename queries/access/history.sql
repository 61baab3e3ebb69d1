-- Everything that is known to have happened to a policy. That is changes in the log, of its set and its members, and
-- what snapshots showed that began or ended since the one before.
with
changes as (
    select
        source, event_time as happened_at, 'log' as evidence, change, resource_kind, operation,
        case when origin = 'member' then coalesce(subject_name, 'user ' || subject_id) else coalesce(object_name, object_id) end
            as object,
        nullif(actor, 'unknown') as by_whom, event_key
    from permission_changes
    where (subject_kind = 'policy' and subject_id = $policy_id)
       or (origin = 'member' and resource_kind = 'Policies' and object_id = $policy_id)
),
firsts as (
    select source, min(read_at) as read_at
    from policy_snapshots
    where policy_id = $policy_id
    group by source
),
shown as (
    select
        p.source, p.valid_from as happened_at, 'snapshot' as evidence,
        case when p.valid_from = f.read_at then 'first shown' else 'began' end as change,
        p.resource_kind, p.operation, case when p.object_name like '(%' then concat_ws(' ', p.object_id, p.object_name) else coalesce(p.object_name, p.object_id) end as object,
        null as by_whom, null as event_key
    from policy_permissions as p
    inner join firsts as f on f.source = p.source
    where p.policy_id = $policy_id
    union all
    select
        p.source, p.valid_to as happened_at, 'snapshot' as evidence, 'ended' as change,
        p.resource_kind, p.operation, case when p.object_name like '(%' then concat_ws(' ', p.object_id, p.object_name) else coalesce(p.object_name, p.object_id) end as object,
        null as by_whom, null as event_key
    from policy_permissions as p
    where p.policy_id = $policy_id
      and p.valid_to is not null
),
all_of_it as (
    select source, happened_at, evidence, change, resource_kind, operation, object, by_whom, event_key from changes
    union all
    select source, happened_at, evidence, change, resource_kind, operation, object, by_whom, event_key from shown
)
select happened_at, evidence, change, resource_kind, operation, object, by_whom, event_key, source
from all_of_it
where $source is null or source = $source
order by happened_at, evidence, change, resource_kind, operation, object, by_whom, event_key, source
