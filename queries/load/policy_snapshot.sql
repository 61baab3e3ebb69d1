-- Compares the policies just read with the permissions in force: missing ones end, present ones are confirmed, new ones
-- start.
update incoming_permissions
set object_name = bound_name(object_name, cast(details as json), [])
where operation is not null and details is not null;

update policy_permission_rows as r
set valid_to = p.read_at::timestamp
from incoming_policies as p
where r.source = $source
  and r.policy_id = p.policy_id
  and r.valid_to is null
  and not p.is_same
  and not exists (
      select 1
      from incoming_permissions as i
      where i.policy_id = r.policy_id
        and i.resource_kind = r.resource_kind
        and i.operation is not distinct from r.operation
        and i.object_id is not distinct from r.object_id
        and i.object_name is not distinct from r.object_name
        and i.details is not distinct from cast(r.details as varchar)
  );

update policy_permission_rows as r
set last_seen_at = p.read_at::timestamp
from incoming_policies as p
where r.source = $source and r.policy_id = p.policy_id and r.valid_to is null;

-- Snapshots are evidence for the time around them.
insert into known_changes (change_id, first_time, last_time)
select
    (select coalesce(max(change_id), 0) + 1 from known_changes) as change_id,
    min(coalesce(earliest_at, read_at))::timestamp as first_time,
    max(coalesce(latest_at, read_at))::timestamp as last_time
from incoming_policies
having count(*) > 0;

insert into policy_permission_rows (
    source, policy_id, resource_kind, operation, object_id, object_name, details,
    valid_from, valid_to, last_seen_at, snapshot_id
)
select
    $source as source, i.policy_id, i.resource_kind, i.operation, i.object_id, i.object_name, i.details,
    p.read_at::timestamp as valid_from, null as valid_to, p.read_at::timestamp as last_seen_at,
    $snapshot_id as snapshot_id
from incoming_permissions as i
inner join incoming_policies as p on p.policy_id = i.policy_id
where not exists (
    select 1
    from policy_permission_rows as r
    where r.source = $source
      and r.policy_id = i.policy_id
      and r.valid_to is null
      and i.resource_kind = r.resource_kind
      and i.operation is not distinct from r.operation
      and i.object_id is not distinct from r.object_id
      and i.object_name is not distinct from r.object_name
      and i.details is not distinct from cast(r.details as varchar)
)
order by i.policy_id, i.position;

insert into policy_snapshots (
    snapshot_id, source, policy_id, read_at, state, permissions, earliest_at, latest_at, place
)
select
    $snapshot_id as snapshot_id, $source as source, p.policy_id, p.read_at::timestamp as read_at,
    case when p.is_present then 'present' else 'gone' end as state,
    count(r.policy_id) as permissions,
    p.earliest_at::timestamp as earliest_at, p.latest_at::timestamp as latest_at, 'ordered' as place
from incoming_policies as p
left join policy_permission_rows as r
    on r.source = $source and r.policy_id = p.policy_id and r.valid_to is null
group by p.policy_id, p.read_at, p.is_present, p.earliest_at, p.latest_at
order by p.policy_id;

insert into access_due (source, subject_kind, subject_id)
select $source as source, 'policy' as subject_kind, policy_id as subject_id
from incoming_policies
order by policy_id;
