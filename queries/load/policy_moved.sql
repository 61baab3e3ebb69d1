-- What began and ended with a snapshot, of the policies that an earlier one showed; in a fixed order.
select
    r.policy_id, r.valid_to is null as is_begun,
    r.resource_kind, r.operation, r.object_id,
    case
        when r.details is null then r.object_name
        else nullif(rtrim(left(
            r.object_name, length(r.object_name) - coalesce(length(bound_name(null, r.details, [])), 0)
        )), '')
    end as object_name,
    cast(r.details as varchar) as details
from policy_permission_rows as r
inner join incoming_policies as p
    on p.policy_id = r.policy_id and p.read_at::timestamp in (r.valid_from, r.valid_to)
where r.source = $source
  and exists (
      select 1
      from policy_snapshots as s
      where s.source = r.source and s.policy_id = r.policy_id and s.read_at < p.read_at::timestamp
  )
order by
    r.policy_id, is_begun, r.resource_kind, r.operation, length(r.object_id), r.object_id, r.object_name, details;
