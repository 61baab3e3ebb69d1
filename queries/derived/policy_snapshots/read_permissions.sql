-- What the snapshots show of the policies that are due. A set may name a permission twice.
create or replace temp table read_permissions as
select
    s.series_key, permission_of(p.resource_kind, p.operation, p.object_id, p.object_name) as permission,
    p.valid_from, p.valid_to, p.snapshot_id
from policy_permission_rows as p
inner join due_series as s on s.subject_kind = 'policy' and s.source = p.source and s.subject_id = p.policy_id
where p.operation is not null;
