-- What every policy holds on databases at a moment.
select distinct policy_id, operation, object_id
from policy_rights
where source = $source
  and resource_kind = 'Databases'
  and coalesce(valid_from <= $on::timestamp, true)
  and coalesce(valid_to > $on::timestamp, true)
order by policy_id, operation, object_id
