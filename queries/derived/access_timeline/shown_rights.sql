-- What the snapshots show of the policies that are due. A set may name a right twice.
create or replace temp table shown_rights as
select
    s.series_key, permission_of(r.resource_kind, r.operation, r.object_id, r.object_name) as permission,
    min(r.valid_from) as valid_from,
    case when count(*) = count(r.valid_to) then max(r.valid_to) end as valid_to,
    max(r.snapshot_id) as snapshot_id
from policy_permission_rows as r
inner join due_series as s on s.subject_kind = 'policy' and s.source = r.source and s.subject_id = r.policy_id
where r.operation is not null
group by s.series_key, r.resource_kind, r.operation, r.object_id, r.object_name, r.valid_from;
