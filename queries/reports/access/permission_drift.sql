-- title: Where do the snapshots of policies and the log disagree?
-- family: access
-- grain: one row per permission that only one of them has at the last snapshot; a policy without one is one row
-- param: on timestamp = now
-- The last snapshot of each policy until `on` is held against what the log, as it has been read, says for the
-- moment of the snapshot. Policies whose set the log never states have nothing to be held against. A gap in the
-- log and a change later than the last reading of the log show as drift.
with
readings as (
    select
        source, policy_id, state, read_at,
        row_number() over (partition by source, policy_id order by read_at desc) as age
    from policy_snapshots
    where read_at <= cast($on as timestamp)
),
latest as (
    select source, policy_id, state, read_at
    from readings
    where age = 1
),
shown as (
    select distinct
        latest.source, latest.policy_id, latest.read_at,
        policy_permissions.resource_kind, policy_permissions.operation, policy_permissions.object_id,
        policy_permissions.object_name
    from latest
    inner join policy_permissions
        on policy_permissions.source = latest.source
        and policy_permissions.policy_id = latest.policy_id
        and policy_permissions.valid_from <= latest.read_at
        and (policy_permissions.valid_to is null or policy_permissions.valid_to > latest.read_at)
    where policy_permissions.operation is not null
      and not exists (
          select 1 from policy_rights
          where policy_rights.source = latest.source
            and policy_rights.policy_id = latest.policy_id
            and policy_rights.known_from = 'snapshot'
      )
),
logged as (
    select
        latest.source, latest.policy_id, latest.read_at,
        permission_spans.resource_kind, permission_spans.operation, permission_spans.object_id,
        permission_spans.object_name
    from latest
    inner join permission_spans
        on permission_spans.source = latest.source
        and permission_spans.subject_id = latest.policy_id
        and (permission_spans.valid_from is null or permission_spans.valid_from <= latest.read_at)
        and (permission_spans.valid_to is null or permission_spans.valid_to > latest.read_at)
    where permission_spans.subject_kind = 'policy'
),
both_ways as (
    select source, policy_id, read_at, resource_kind, operation, object_id, object_name, 1 as in_snapshot
    from shown
    union all
    select source, policy_id, read_at, resource_kind, operation, object_id, object_name, 0 as in_snapshot
    from logged
),
differences as (
    select
        source, policy_id, read_at, resource_kind, operation, object_id, object_name,
        case max(in_snapshot) when 1 then 'only in the snapshot' else 'only in the log' end as difference
    from both_ways
    group by source, policy_id, read_at, resource_kind, operation, object_id, object_name
    having min(in_snapshot) = max(in_snapshot)
    union all
    select
        latest.source, latest.policy_id, latest.read_at,
        null as resource_kind, null as operation, null as object_id, null as object_name,
        'gone without a deletion in the log' as difference
    from latest
    inner join policies
        on policies.source = latest.source
        and policies.policy_id = latest.policy_id
    where latest.state = 'gone'
      and (policies.deleted_at is null or policies.deleted_at > latest.read_at)
    union all
    select
        policies.source, policies.policy_id, null as read_at,
        null as resource_kind, null as operation, null as object_id, null as object_name,
        'no snapshot' as difference
    from policies
    where (policies.created_at is null or policies.created_at <= cast($on as timestamp))
      and (policies.deleted_at is null or policies.deleted_at > cast($on as timestamp))
      and not exists (
          select 1 from latest
          where latest.source = policies.source
            and latest.policy_id = policies.policy_id
      )
)
select
    coalesce(policies.policy_name, 'policy ' || differences.policy_id) as policy,
    differences.difference,
    differences.resource_kind,
    differences.operation,
    coalesce(differences.object_name, databases.database_name, differences.object_id) as object,
    differences.read_at,
    differences.policy_id,
    differences.object_id,
    differences.source
from differences
left join policies
    on policies.source = differences.source
    and policies.policy_id = differences.policy_id
left join databases
    on databases.source = differences.source
    and databases.database_id = differences.object_id
    and differences.resource_kind = 'Databases'
order by policy, policy_id, difference, resource_kind, operation, object, object_id, read_at, source
