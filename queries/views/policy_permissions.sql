-- One row per permission of a policy and interval [valid_from, valid_to) in which snapshots showed it. The name of the
-- policy is the last one in the log.
create or replace view policy_permissions as
with
names as (
    select source, resource_id as policy_id, arg_max(resource_name, event_time) as policy_name
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user'
    )
      and resource_name <> ''
    group by source, resource_id
)
select
    p.source, p.policy_id, n.policy_name,
    p.resource_kind, p.operation, p.object_id, p.object_name,
    case p.resource_kind when 'Databases' then p.object_id end as database_id,
    p.details, p.valid_from, p.valid_to, p.last_seen_at, p.snapshot_id
from policy_permission_rows as p
left join names as n on n.source = p.source and n.policy_id = p.policy_id;
