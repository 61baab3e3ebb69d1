-- What every policy holds on databases at a moment.
select distinct policy_id, operation, object_id
from policy_rights
where source = $source
  and resource_kind = 'Databases'
  and
  -- part: valid_on
order by policy_id, operation, object_id
